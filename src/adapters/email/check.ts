import { type AdapterCall, type AdapterCheckResult, AdapterError } from '../../bridge/index.js';
import type { Mailbox, OpenMailbox } from './imap.js';
import { parseHeaders } from './mail.js';
import type { LoginTokens } from './oauth.js';
import { parseAuthenticationResults } from './sender.js';
import type { CheckedSettings } from './settings.js';
import type { Mailer } from './smtp.js';

/** The latest mails, in which the header of the trusted server is looked for. */
const SAMPLE = 20;

/** Creates `check`: the OAuth provider, both servers, both logins, the folder, and the rules for senders. */
export function createCheck(
  mailer: Mailer,
  mailbox: Mailbox,
  tokens: LoginTokens | null,
  settings: CheckedSettings,
) {
  const checkTokens = async (call: AdapterCall): Promise<AdapterCheckResult[]> => {
    if (!tokens || !settings.oauth) return [];
    await tokens.current(call);
    const { hostname } = new URL(settings.oauth.tokenUrl);
    return [{ name: 'oauth', ok: true, detail: `${hostname} has given an access token.` }];
  };
  const checkSmtp = async (call: AdapterCall): Promise<AdapterCheckResult> => {
    await mailer.verify(call);
    return {
      name: 'smtp',
      ok: true,
      detail: `The server takes mails from ${settings.address}${overTls(settings.smtp.tls)}.`,
    };
  };
  const checkImap = (call: AdapterCall): Promise<AdapterCheckResult[]> =>
    mailbox.once(async (open) => {
      const { exists } = open.mailbox;
      const detail = `"${settings.mailbox}" has ${exists} mails${overTls(settings.imap.tls)}. It is opened for reading only.`;
      return [{ name: 'imap', ok: true, detail }, await checkSenders(open, settings)];
    }, call);

  return async (call: AdapterCall): Promise<readonly AdapterCheckResult[]> => [
    ...(await asResults('oauth', () => checkTokens(call))),
    ...(await asResults('smtp', async () => [await checkSmtp(call)])),
    ...(await asResults('imap', () => checkImap(call))),
  ];
}

const overTls = (tls: CheckedSettings['smtp']['tls']): string => (tls === 'off' ? ', without TLS' : '');

async function checkSenders(
  { client, mailbox }: OpenMailbox,
  settings: CheckedSettings,
): Promise<AdapterCheckResult> {
  const name = 'senders';
  const { agents, trustedServer } = settings;
  const who = `Replies of ${agents.join(', ')} are passed on`;
  if (trustedServer === null) {
    return {
      name,
      ok: true,
      detail: `${who}, without a check that they are genuine: only for a mailbox that takes no mail from outside.`,
    };
  }
  const servers = new Set<string>();
  if (mailbox.exists > 0) {
    const range = `${Math.max(1, mailbox.exists - SAMPLE + 1)}:*`;
    for (const { headers } of await client.fetchAll(range, { headers: true })) {
      const results = headers ? (await parseHeaders(headers)).authenticationResults : [];
      for (const each of results) servers.add(parseAuthenticationResults(each).server);
    }
  }
  if (servers.has(trustedServer))
    return { name, ok: true, detail: `${who} if ${trustedServer} has verified them.` };
  if (mailbox.exists === 0) {
    return {
      name,
      ok: true,
      detail: `${who} if ${trustedServer} has verified them. The folder is empty: check again when it has mails from outside.`,
    };
  }
  const seen = servers.size > 0 ? `They are of ${[...servers].slice(0, 5).join(', ')}.` : 'They have none.';
  const detail = `The latest ${Math.min(SAMPLE, mailbox.exists)} mails have no Authentication-Results of ${trustedServer}, so that replies would be refused. ${seen} Correct trustedServer, or let the mail server add the header.`;
  return { name, ok: false, detail };
}

async function asResults(
  name: string,
  task: () => Promise<readonly AdapterCheckResult[]>,
): Promise<readonly AdapterCheckResult[]> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return [{ name, ok: false, detail: error.message }];
  }
}
