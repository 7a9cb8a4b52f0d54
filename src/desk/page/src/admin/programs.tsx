import { useEffect, useState } from 'preact/hooks';
import type {
  AgentView,
  NewToken,
  NewWebhook,
  TokenView,
  WebhookEventName,
  WebhookView,
} from '../../../api.js';
import type { Client } from '../client.js';
import { useAttempt, useDesk } from '../desk-context.js';
import { ConfirmDialog, Dialog } from '../shared/dialog.js';
import { Time } from '../shared/elements.js';
import { type AdminTextName, a } from '../strings/admin.js';
import { formatTime } from '../strings/index.js';
import { SettingsForm } from './settings-form.js';

const ROLE_NAMES: Readonly<Record<AgentView['role'], AdminTextName>> = {
  agent: 'roleAgent',
  supervisor: 'roleSupervisor',
  administrator: 'roleAdministrator',
};

const EVENTS: readonly WebhookEventName[] = [
  'conversation.opened',
  'conversation.claimed',
  'conversation.closed',
  'note.added',
  'sla.missed',
];

const TOKENS = 'api/admin/tokens';
const WEBHOOKS = 'api/admin/webhooks';

/** A text that is shown once. */
interface Secret {
  readonly title: string;
  readonly text: string;
  readonly hint: string;
}

/** What programs use: tokens for the API, and webhooks. */
export function AdminPrograms() {
  const [secret, setSecret] = useState<Secret | null>(null);
  return (
    <>
      <Tokens show={setSecret} />
      <Webhooks show={setSecret} />
      {secret && (
        <Dialog title={secret.title} close={() => setSecret(null)}>
          <p>
            <code class="password">{secret.text}</code>
          </p>
          <p>{secret.hint}</p>
          <form method="dialog" class="buttons">
            <button type="submit">{a('done')}</button>
          </form>
        </Dialog>
      )}
    </>
  );
}

/** A list of the server, with a function that changes something there and reads the list again. */
function useList<Item>(path: string, load: (client: Client) => Promise<readonly Item[]>) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const [items, setItems] = useState<readonly Item[] | null>(null);
  const refresh = () => attempt(async () => setItems(await load(client)));
  useEffect(() => void refresh(), []);
  const post = async <Answer,>(more: string, body: unknown): Promise<Answer | null> => {
    let answer: Answer | null = null;
    await attempt(async () => {
      answer = await client.call<Answer>('POST', `${path}${more}`, body);
    });
    await refresh();
    return answer;
  };
  return { items, post };
}

/** With its year. */
const dayOf = (at: number): string =>
  new Date(at).toLocaleDateString(document.documentElement.lang, { dateStyle: 'medium' });

const actionOf = (id: string, action: string): string => `/${encodeURIComponent(id)}/${action}`;

function Tokens({ show }: { readonly show: (secret: Secret) => void }) {
  const { items: tokens, post } = useList(TOKENS, (client) =>
    client.call<readonly TokenView[]>('GET', TOKENS),
  );
  const [revoking, setRevoking] = useState<TokenView | null>(null);
  const create = async (form: HTMLFormElement): Promise<void> => {
    const { name, role, day } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    const expiresAt = day ? new Date(`${day}T23:59:59`).getTime() : null;
    const created = await post<NewToken>('', { name, role, expiresAt });
    if (!created) return;
    form.reset();
    show({ title: a('tokenOf', { name: created.name }), text: created.token, hint: a('tokenCopy') });
  };
  return (
    <section>
      <h3>{a('tokens')}</h3>
      <p class="hint">{a('tokensHint')}</p>
      {tokens?.length === 0 && <p class="hint">{a('noTokens')}</p>}
      {tokens && tokens.length > 0 && (
        <table aria-label={a('tokens')}>
          <thead>
            <tr>
              <th scope="col">{a('name')}</th>
              <th scope="col">{a('tokenId')}</th>
              <th scope="col">{a('role')}</th>
              <th scope="col">{a('created')}</th>
              <th scope="col">{a('lastUsed')}</th>
              <th scope="col">{a('expires')}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <tr key={token.id}>
                <th scope="row" dir="auto">
                  {token.name}
                </th>
                <td>{token.id}</td>
                <td>{a(ROLE_NAMES[token.role])}</td>
                <td>
                  <Time at={token.createdAt} /> · {token.createdBy}
                </td>
                <td>{token.lastUsedAt === null ? a('neverUsed') : <Time at={token.lastUsedAt} />}</td>
                <td>
                  {token.expiresAt === null ? '–' : dayOf(token.expiresAt)}
                  {token.expiresAt !== null && token.expiresAt <= Date.now() && ` · ${a('expired')}`}
                </td>
                <td>
                  <button type="button" onClick={() => setRevoking(token)}>
                    {a('revoke')}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <SettingsForm save={create} label={a('createToken')}>
        <h4>{a('createToken')}</h4>
        <label>
          {a('name')}
          <input name="name" dir="auto" autocomplete="off" maxLength={100} required />
        </label>
        <label>
          {a('role')}
          <select name="role">
            {Object.entries(ROLE_NAMES).map(([role, text]) => (
              <option key={role} value={role}>
                {a(text)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {a('expiresDay')}
          <input name="day" type="date" />
        </label>
      </SettingsForm>
      {revoking && (
        <ConfirmDialog
          question={a('revokeSure', { name: revoking.name })}
          yes={a('revoke')}
          onYes={() => void post(actionOf(revoking.id, 'revoke'), {})}
          close={() => setRevoking(null)}
        />
      )}
    </section>
  );
}

function Webhooks({ show }: { readonly show: (secret: Secret) => void }) {
  const { items: webhooks, post } = useList(WEBHOOKS, (client) =>
    client.call<readonly WebhookView[]>('GET', WEBHOOKS),
  );
  const [removing, setRemoving] = useState<WebhookView | null>(null);
  const create = async (form: HTMLFormElement): Promise<void> => {
    const fields = new FormData(form);
    const request = {
      url: fields.get('url'),
      events: fields.getAll('event'),
      content: fields.get('content') !== null,
    };
    const created = await post<NewWebhook>('', request);
    if (!created) return;
    form.reset();
    show({ title: a('secretOf'), text: created.secret, hint: a('secretCopy') });
  };
  return (
    <section>
      <h3>{a('webhooks')}</h3>
      <p class="hint">{a('webhooksHint')}</p>
      {webhooks?.length === 0 && <p class="hint">{a('noWebhooks')}</p>}
      {webhooks && webhooks.length > 0 && (
        <table aria-label={a('webhooks')}>
          <thead>
            <tr>
              <th scope="col">{a('url')}</th>
              <th scope="col">{a('events')}</th>
              <th scope="col">{a('status')}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {webhooks.map((webhook) => (
              <tr key={webhook.id}>
                <th scope="row">{webhook.url}</th>
                <td>{[...webhook.events, ...(webhook.content ? [a('contentSent')] : [])].join(', ')}</td>
                <td>{statusOf(webhook)}</td>
                <td>
                  <div class="buttons">
                    {webhook.disabledAt !== null && (
                      <button type="button" onClick={() => void post(actionOf(webhook.id, 'enable'), {})}>
                        {a('enable')}
                      </button>
                    )}
                    <button type="button" onClick={() => setRemoving(webhook)}>
                      {a('remove')}
                    </button>
                  </div>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <SettingsForm save={create} label={a('createWebhook')}>
        <h4>{a('createWebhook')}</h4>
        <label>
          {a('url')}
          <input name="url" type="url" placeholder="https://" autocomplete="off" required />
        </label>
        <fieldset>
          <legend>{a('events')}</legend>
          {EVENTS.map((event) => (
            <label key={event} class="switch">
              <input type="checkbox" name="event" value={event} defaultChecked />
              {event}
            </label>
          ))}
        </fieldset>
        <label class="switch">
          <input type="checkbox" name="content" />
          {a('withContent')}
        </label>
      </SettingsForm>
      {removing && (
        <ConfirmDialog
          question={a('webhookRemoveSure', { url: removing.url })}
          yes={a('remove')}
          onYes={() => void post(actionOf(removing.id, 'remove'), {})}
          close={() => setRemoving(null)}
        />
      )}
    </section>
  );
}

function statusOf({ disabledAt, failingSince, problem, deliveredAt, waiting }: WebhookView): string {
  const since = disabledAt ?? failingSince;
  const values = { time: since === null ? '' : formatTime(since), problem: problem ?? '' };
  const works = a(deliveredAt === null ? 'webhookNew' : 'webhookWorks');
  const status =
    since === null ? works : a(disabledAt === null ? 'webhookFailing' : 'webhookDisabled', values);
  return waiting > 0 ? `${status} · ${a('webhookWaiting', { count: waiting })}` : status;
}
