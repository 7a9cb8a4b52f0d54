import { type AdapterCall, type AdapterCheckResult, AdapterError } from '../../bridge/index.js';
import { clockWatching } from './answers.js';
import { HASH_WANTED, identifierHash } from './opening.js';
import { asAdapterError, createPublicApi, type PublicApi } from './public-api.js';
import type { CheckedSettings } from './settings.js';

/** Half of what a signature may be off: more, and webhooks are about to be refused. */
const MAX_SKEW_MS = 150_000;
/** What Chatwoot generates. */
const SECRET_LENGTH = 24;

/** Looks whether everything is set up. Nothing is left behind in Chatwoot. */
export async function checkSetup(
  settings: CheckedSettings,
  call: AdapterCall,
): Promise<readonly AdapterCheckResult[]> {
  let skewMs: number | null = null;
  const fetch = clockWatching(settings.fetch, (theirs, ours) => {
    skewMs = theirs - ours;
  });
  const api = createPublicApi({ ...settings, fetch });
  const inbox = await api.inbox(call).catch(asAdapterError);
  if (inbox instanceof AdapterError) return [...inboxTrouble(inbox), secret(settings)];
  return [
    { name: 'address', ok: true, detail: 'Chatwoot answers.' },
    { name: 'inbox', ok: true, detail: `The identifier is that of the inbox ${JSON.stringify(inbox.name)}.` },
    await identity(api, settings, inbox.wantsHash, call),
    secret(settings),
    clock(skewMs),
  ];
}

function inboxTrouble(error: AdapterError): AdapterCheckResult[] {
  if (error.kind !== 'gone') {
    return [{ name: 'address', ok: false, detail: `${error.message} Look at CHATWOOT_URL.` }];
  }
  return [
    { name: 'address', ok: true, detail: 'Something answers.' },
    {
      name: 'inbox',
      ok: false,
      detail:
        'There is no API inbox with this identifier. CHATWOOT_INBOX is the Inbox Identifier of the inbox settings, tab Configuration; CHATWOOT_URL is where agents open Chatwoot.',
    },
  ];
}

async function identity(
  api: PublicApi,
  { hmacToken }: CheckedSettings,
  wantsHash: boolean,
  call: AdapterCall,
): Promise<AdapterCheckResult> {
  const name = 'identity validation';
  const identifier = 'handoff-kit check';
  if (hmacToken === null) {
    if (wantsHash) return { name, ok: false, detail: HASH_WANTED };
    return { name, ok: true, detail: 'Not enforced, and no key is set.' };
  }
  if (await api.takesHash(identifier, identifierHash(hmacToken, identifier), call))
    return { name, ok: true, detail: 'The key is right.' };
  return {
    name,
    ok: false,
    detail:
      'Chatwoot did not take a hash made with this key: copy CHATWOOT_HMAC_TOKEN anew from the inbox settings, tab Configuration.',
  };
}

function secret({ webhookSecrets }: CheckedSettings): AdapterCheckResult {
  const odd = webhookSecrets.some(({ length }) => length !== SECRET_LENGTH);
  const shape = odd ? `Chatwoot's own have ${SECRET_LENGTH} characters, and this one has not.` : '';
  return {
    name: 'webhook secret',
    ok: true,
    detail: `Set. Whether it is the inbox's shows with the first webhook. ${shape}`.trim(),
  };
}

function clock(skewMs: number | null): AdapterCheckResult {
  const name = 'clock';
  if (skewMs === null) return { name, ok: true, detail: 'Chatwoot does not tell its time.' };
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= MAX_SKEW_MS)
    return { name, ok: true, detail: `${seconds} s apart from Chatwoot's.` };
  return {
    name,
    ok: false,
    detail: `${seconds} s apart from Chatwoot's; from 300 s on its webhooks are refused. Set the clock by NTP.`,
  };
}
