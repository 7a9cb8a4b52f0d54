import { useEffect, useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { AccountView } from '../../../api.js';
import type { Client } from '../client.js';
import { type Attempt, useAttempt, useDesk } from '../desk-context.js';
import { reloadWith } from '../notices.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { a } from '../strings/admin.js';
import { formatTime, t } from '../strings/index.js';

/** The agent's own account: password, second factor and sessions. */
export function AdminAccount() {
  const { client } = useDesk();
  const attempt = useAttempt();
  const [view, setView] = useState<AccountView | null>(null);
  const refresh = () => attempt(async () => setView(await client.account()));
  useEffect(() => void refresh(), []);
  if (!view) return <p class="hint">…</p>;
  return (
    <>
      {view.hasPassword ? (
        <>
          <PasswordForm />
          <SecondFactor
            client={client}
            attempt={attempt}
            isOn={view.hasTotp}
            isRequired={view.requiresTotp}
            onChange={() => void refresh()}
          />
        </>
      ) : (
        <p>{a('elsewhere')}</p>
      )}
      <SessionList sessions={view.sessions} onChange={() => void refresh()} />
    </>
  );
}

/** The fields of a form, by name. */
const fieldsOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  );

function PasswordForm() {
  const { client } = useDesk();
  const attempt = useAttempt();
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const change = () => client.call('POST', 'api/account/password', fieldsOf(form));
    // The session is new, so the page reloads.
    if (await attempt(change)) reloadWith(a('passwordChanged'));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <h3>{a('password')}</h3>
      <label>
        {a('currentPassword')}
        <input name="current" type="password" autocomplete="current-password" required />
      </label>
      <label>
        {a('newPassword')}
        <input name="password" type="password" autocomplete="new-password" minLength={12} required />
      </label>
      <button type="submit">{a('changePassword')}</button>
    </form>
  );
}

/** Sets up, replaces or turns off the second factor. */
function SecondFactor({
  client,
  attempt,
  isOn,
  isRequired,
  onChange,
}: {
  readonly client: Client;
  readonly attempt: Attempt;
  readonly isOn: boolean;
  readonly isRequired: boolean;
  readonly onChange: () => void;
}) {
  const [setup, setSetup] = useState<{ readonly secret: string; readonly uri: string } | null>(null);
  const [recovery, setRecovery] = useState<readonly string[] | null>(null);
  const begin = () => attempt(async () => setSetup(await client.call('POST', 'api/account/totp/new', {})));
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const fields = fieldsOf(form);
    const turn = async (): Promise<void> => {
      if (!setup) return client.call('POST', 'api/account/totp/off', fields);
      const body = { ...fields, secret: setup.secret };
      const { recoveryCodes } = await client.call<{ recoveryCodes: string[] }>(
        'PUT',
        'api/account/totp',
        body,
      );
      setRecovery(recoveryCodes);
    };
    if (!(await attempt(turn))) return;
    setSetup(null);
    onChange();
  };
  const mayTurnOff = isOn && !isRequired && !setup;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
    >
      <h3>{a('totp')}</h3>
      <p>{a(isOn ? 'totpOn' : 'totpOff')}</p>
      {recovery && (
        <div class="recovery" role="status">
          <p>{a('totpRecovery')}</p>
          <pre>{recovery.join('\n')}</pre>
        </div>
      )}
      {setup && (
        <>
          <p>{a('totpScan')}</p>
          <QrCode text={setup.uri} />
          <p>
            {a('totpKey')}: <code>{setup.secret}</code>
          </p>
          <label>
            {a('totpCode')}
            <input name="code" inputMode="numeric" autocomplete="one-time-code" required />
          </label>
        </>
      )}
      {(setup || mayTurnOff) && (
        <label>
          {a('currentPassword')}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
      )}
      {(setup || mayTurnOff) && <button type="submit">{a(mayTurnOff ? 'totpRemove' : 'totpConfirm')}</button>}
      {!setup && (
        <button type="button" onClick={() => void begin()}>
          {a(isOn ? 'totpReplace' : 'totpStart')}
        </button>
      )}
    </form>
  );
}

/** The page of an agent who must set up a second factor before anything else. */
export function TotpPage({
  client,
  attempt,
  logOut,
}: {
  readonly client: Client;
  readonly attempt: Attempt;
  readonly logOut: () => void;
}) {
  const [isDone, setDone] = useState(false);
  return (
    <main class="admin">
      <h1>{t('desk')}</h1>
      <h2>{a(isDone ? 'totpOn' : 'totpFirst')}</h2>
      <SecondFactor
        client={client}
        attempt={attempt}
        isOn={isDone}
        isRequired
        onChange={() => setDone(true)}
      />
      <div class="buttons">
        {isDone && (
          <button type="button" class="primary" onClick={() => location.reload()}>
            {a('totpGoOn')}
          </button>
        )}
        <button type="button" onClick={logOut}>
          {t('logout')}
        </button>
      </div>
    </main>
  );
}

/** A QR code, drawn as one path. */
function QrCode({ text }: { readonly text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={a('totpQr')}>
      <rect width={size} height={size} />
      <path d={path} />
    </svg>
  );
}

function SessionList({
  sessions,
  onChange,
}: {
  readonly sessions: AccountView['sessions'];
  readonly onChange: () => void;
}) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const [isEndingAll, setEndingAll] = useState(false);
  const end = async (session: string): Promise<void> => {
    if (await attempt(() => client.call('POST', 'api/account/sessions/end', { session }))) onChange();
  };
  return (
    <section>
      <h3>{a('sessions')}</h3>
      <table aria-label={a('sessions')}>
        <thead>
          <tr>
            <th scope="col">{a('sessionFrom')}</th>
            <th scope="col">{a('browser')}</th>
            <th scope="col">{a('started')}</th>
            <th scope="col">{a('seen')}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {sessions.map(({ id, from, browser, startedAt, seenAt, isCurrent }) => (
            <tr key={id}>
              <td>{from}</td>
              <td class="browser">{browser}</td>
              <td>{formatTime(startedAt)}</td>
              <td>{formatTime(seenAt)}</td>
              <td>
                {isCurrent ? (
                  a('thisSession')
                ) : (
                  <button type="button" onClick={() => void end(id)}>
                    {a('end')}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="buttons">
        <button type="button" onClick={() => void end('others')}>
          {a('endOthers')}
        </button>
        <button type="button" onClick={() => setEndingAll(true)}>
          {a('endAll')}
        </button>
      </div>
      {isEndingAll && (
        <ConfirmDialog
          question={a('endAllSure')}
          yes={a('endAll')}
          onYes={() => void end('all')}
          close={() => setEndingAll(false)}
        />
      )}
    </section>
  );
}
