import { type AdapterCall, type AdapterCheckResult, AdapterError } from '../../bridge/index.js';
import { HMAC_TOKEN_MISSING, identifierHash } from './open.js';
import { asAdapterError, createPublicApi, type PublicApi } from './public-api.js';
import type { CheckedSettings } from './settings.js';

/** Half of the tolerance of signatures. */
const MAX_SKEW_MS = 150_000;
/** The length of the secrets that Chatwoot generates. */
const SECRET_LENGTH = 24;

/** Checks the setup. Creates nothing in Chatwoot. */
export async function checkSetup(
  settings: CheckedSettings,
  call: AdapterCall,
): Promise<readonly AdapterCheckResult[]> {
  let skewMs: number | null = null;
  const api = createPublicApi({
    ...settings,
    fetch: async (url, init) => {
      const response = await settings.fetch(url, init);
      const chatwootTime = Date.parse(response.headers.get('date') ?? '');
      if (!Number.isNaN(chatwootTime)) skewMs = chatwootTime - Date.now();
      return response;
    },
  });
  const inbox = await api.inbox(call).catch(asAdapterError);
  if (inbox instanceof AdapterError) return [...inboxFailure(inbox), checkSecret(settings)];
  return [
    { name: 'address', ok: true, detail: 'Chatwoot answers.' },
    { name: 'inbox', ok: true, detail: `The identifier is that of the inbox ${JSON.stringify(inbox.name)}.` },
    await checkIdentity(api, settings, inbox.requiresHash, call),
    checkSecret(settings),
    checkClock(skewMs),
  ];
}

function inboxFailure(error: AdapterError): AdapterCheckResult[] {
  if (error.kind !== 'gone') {
    return [{ name: 'address', ok: false, detail: `${error.message} Check CHATWOOT_URL.` }];
  }
  return [
    { name: 'address', ok: true, detail: 'A server answers.' },
    {
      name: 'inbox',
      ok: false,
      detail:
        'There is no API inbox with this identifier. CHATWOOT_INBOX is the Inbox Identifier of the inbox settings, tab Configuration; CHATWOOT_URL is where agents open Chatwoot.',
    },
  ];
}

async function checkIdentity(
  api: PublicApi,
  { hmacToken }: CheckedSettings,
  requiresHash: boolean,
  call: AdapterCall,
): Promise<AdapterCheckResult> {
  const name = 'identity validation';
  const identifier = 'handoff-kit check';
  if (hmacToken === null) {
    if (requiresHash) return { name, ok: false, detail: HMAC_TOKEN_MISSING };
    return { name, ok: true, detail: 'Not enforced, and no key is set.' };
  }
  if (await api.acceptsHash(identifier, identifierHash(hmacToken, identifier), call))
    return { name, ok: true, detail: 'The key is right.' };
  return {
    name,
    ok: false,
    detail:
      'Chatwoot rejected a hash made with this key: copy CHATWOOT_HMAC_TOKEN again from the inbox settings, tab Configuration.',
  };
}

function checkSecret({ webhookSecrets }: CheckedSettings): AdapterCheckResult {
  const isUnusual = webhookSecrets.some(({ length }) => length !== SECRET_LENGTH);
  const lengthNote = isUnusual
    ? `Chatwoot generates secrets of ${SECRET_LENGTH} characters, and this one has another length.`
    : '';
  return {
    name: 'webhook secret',
    ok: true,
    detail: `Set. The first webhook shows whether it is the inbox's. ${lengthNote}`.trim(),
  };
}

function checkClock(skewMs: number | null): AdapterCheckResult {
  const name = 'clock';
  if (skewMs === null) return { name, ok: true, detail: 'Chatwoot sends no Date header.' };
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= MAX_SKEW_MS)
    return { name, ok: true, detail: `${seconds} s apart from Chatwoot's.` };
  return {
    name,
    ok: false,
    detail: `${seconds} s apart from Chatwoot's; from 300 s on its webhooks are refused. Set the clock by NTP.`,
  };
}
