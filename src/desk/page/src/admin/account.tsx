import { useEffect, useState } from 'preact/hooks';
import { encode } from 'uqr';
import type { AccountView } from '../../../api.js';
import type { Client } from '../client.js';
import { type Attempt, useAttempt, useDesk } from '../desk-context.js';
import { reloadWith } from '../notices.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { a } from '../strings/admin.js';
import { formatTime, t } from '../strings/index.js';
import { namesIn } from './browser-name.js';
import { FieldsForm } from './settings-form.js';

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

function PasswordForm() {
  const { client } = useDesk();
  const attempt = useAttempt();
  return (
    <FieldsForm
      label={a('changePassword')}
      submit={(fields) => attempt(() => client.call('POST', 'api/account/password', fields))}
      // The session is new, so the page reloads.
      done={() => reloadWith(a('passwordChanged'))}
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
    </FieldsForm>
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
  const submit = (fields: Readonly<Record<string, string>>): Promise<boolean> =>
    attempt(async () => {
      if (!setup) {
        await client.call('POST', 'api/account/totp/off', fields);
        return;
      }
      const body = { ...fields, secret: setup.secret };
      const { recoveryCodes } = await client.call<{ recoveryCodes: string[] }>(
        'PUT',
        'api/account/totp',
        body,
      );
      setRecovery(recoveryCodes);
    });
  const mayTurnOff = isOn && !isRequired && !setup;
  return (
    <FieldsForm
      submit={submit}
      done={() => {
        setSetup(null);
        onChange();
      }}
      label={setup ? a('totpConfirm') : mayTurnOff ? a('totpRemove') : null}
      others={
        !setup && (
          <button type="button" onClick={() => void begin()}>
            {a(isOn ? 'totpReplace' : 'totpStart')}
          </button>
        )
      }
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
    </FieldsForm>
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

/** `Chrome on Linux`, or the user agent string of another program. */
function browserText(userAgent: string): string {
  const names = namesIn(userAgent);
  return names ? a('browserOn', names) : userAgent;
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
              <td title={browser}>{browserText(browser)}</td>
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
