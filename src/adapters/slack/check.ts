import {
  type AdapterCall,
  type AdapterCheckResult,
  AdapterError,
  asObject,
  asText,
  type JsonObject,
} from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';
import { createSlackApi } from './web-api.js';

/** Signatures tolerate five minutes; the check warns well before. */
const MAX_SKEW_MS = 60_000;

const REQUIRED_SCOPES = {
  public: ['chat:write', 'channels:history', 'channels:read'],
  private: ['chat:write', 'groups:history', 'groups:read'],
} as const;

/** For the names of agents. */
const NAMES_SCOPE = 'users:read';

/** Creates `check`: credentials, channel, scopes, signing secret, clock. Writes nothing to Slack. */
export function createCheck(
  settings: CheckedSettings,
): (call: AdapterCall) => Promise<readonly AdapterCheckResult[]> {
  return async (call) => {
    let headers = new Headers();
    const api = createSlackApi(settings, async (url, init) => {
      const response = await fetch(url, init);
      headers = response.headers;
      return response;
    });

    const credentials = await runCheck('credentials', async () => {
      const response = await api.read('auth.test', {}, call);
      return [true, `the token belongs to ${accountName(response)}.`, response];
    });
    if (!credentials.ok) return [toResult(credentials), checkSigningSecret(settings)];
    const granted = headers.get('x-oauth-scopes');
    const clock = checkClock(headers.get('date'), Date.now());

    const channel = await runCheck('channel', async () => {
      const response = await api.read('conversations.info', { channel: settings.channel }, call, {
        channelErrorKind: 'auth',
      });
      const info = asObject(response.channel);
      return [...checkChannel(info), info];
    });
    return [
      toResult(credentials),
      toResult(channel),
      checkScopes(granted, channel.response.is_private === true),
      checkNames(granted),
      checkSigningSecret(settings),
      clock,
    ];
  };
}

interface CheckWithResponse extends AdapterCheckResult {
  readonly response: JsonObject;
}

const toResult = ({ name, ok, detail }: CheckWithResponse): AdapterCheckResult => ({ name, ok, detail });

async function runCheck(
  name: string,
  check: () => Promise<readonly [boolean, string, JsonObject]>,
): Promise<CheckWithResponse> {
  try {
    const [ok, detail, response] = await check();
    return { name, ok, detail, response };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { name, ok: false, detail: error.message, response: {} };
  }
}

const accountName = ({ user, team }: JsonObject): string =>
  `${asText(user) || 'an app'} in ${asText(team) || 'a workspace'}`;

function checkChannel(info: JsonObject): readonly [boolean, string] {
  const name = asText(info.name) || 'the channel';
  if (info.is_archived === true) return [false, `${name} is archived: choose another, or unarchive it.`];
  if (info.is_member !== true) return [false, `the app is not in ${name}: write /invite @ its name there.`];
  if (info.is_ext_shared === true) {
    return [true, `the app is in ${name}. It is shared with another company, whose members can reply too.`];
  }
  return [true, `the app is in ${name}.`];
}

const scopesOf = (granted: string): ReadonlySet<string> =>
  new Set(granted.split(',').map((scope) => scope.trim()));

/** Optional: a reply reaches the user without the name of its agent. */
function checkNames(granted: string | null): AdapterCheckResult {
  const isGranted = granted === null || scopesOf(granted).has(NAMES_SCOPE);
  const detail = isGranted
    ? 'the names of agents are known to the bridge.'
    : `agents have no names for users: add ${NAMES_SCOPE} to the app, and reinstall it, if you want them.`;
  return { name: 'names', ok: true, detail };
}

function checkScopes(granted: string | null, isPrivate: boolean): AdapterCheckResult {
  const name = 'scopes';
  if (granted === null) return { name, ok: true, detail: 'Slack sent no list of scopes.' };
  const scopes = scopesOf(granted);
  const missing = REQUIRED_SCOPES[isPrivate ? 'private' : 'public'].filter((scope) => !scopes.has(scope));
  if (missing.length === 0) return { name, ok: true, detail: 'the token has all required scopes.' };
  return { name, ok: false, detail: `add ${missing.join(', ')} to the app, and reinstall it.` };
}

const checkSigningSecret = ({ signingSecrets }: CheckedSettings): AdapterCheckResult => ({
  name: 'signing secret',
  ok: true,
  detail: `${signingSecrets.length} set. It is confirmed when Slack verifies the request URL.`,
});

function checkClock(date: string | null, now: number): AdapterCheckResult {
  const name = 'clock';
  const slackTime = Date.parse(date ?? '');
  if (Number.isNaN(slackTime)) return { name, ok: true, detail: 'Slack sent no Date header.' };
  const seconds = Math.round(Math.abs(now - slackTime) / 1000);
  if (seconds * 1000 <= MAX_SKEW_MS)
    return { name, ok: true, detail: `differs from Slack's by ${seconds} s.` };
  return {
    name,
    ok: false,
    detail: `differs from Slack's by ${seconds} s; from 300 s on every signature is refused. Set it by NTP.`,
  };
}
