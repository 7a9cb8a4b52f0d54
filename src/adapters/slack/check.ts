import { type AdapterCall, type AdapterCheckResult, AdapterError } from '../../bridge/index.js';
import { createSlackApi } from './api.js';
import { type Fields, fieldsOf, textOf } from './read.js';
import type { Slack } from './settings.js';

/** Signatures are good for five minutes; a clock that is off by more than this deserves a look. */
const MOST_SKEW_MS = 60_000;

const SCOPES = {
  public: ['chat:write', 'channels:history', 'channels:read'],
  private: ['chat:write', 'groups:history', 'groups:read'],
} as const;

/** Makes `check`: credentials, channel, scopes, signing secret, clock. Nothing is written to Slack. */
export function createCheck(slack: Slack): (call: AdapterCall) => Promise<readonly AdapterCheckResult[]> {
  return async (call) => {
    let headers = new Headers();
    const api = createSlackApi(slack, async (url, init) => {
      const response = await fetch(url, init);
      headers = response.headers;
      return response;
    });

    const credentials = await looking('credentials', async () => {
      const answer = await api.read('auth.test', {}, call);
      return [true, `the token is that of ${namesOf(answer)}.`, answer];
    });
    if (!credentials.ok) return [result(credentials), signingSecret(slack)];
    const granted = headers.get('x-oauth-scopes');
    const clock = clockOf(headers.get('date'), Date.now());

    const channel = await looking('channel', async () => {
      const answer = await api.read('conversations.info', { channel: slack.channel }, call, {
        channelFault: 'auth',
      });
      const info = fieldsOf(answer.channel);
      return [...judgeChannel(info), info];
    });
    return [
      result(credentials),
      result(channel),
      scopesOf(granted, channel.answer.is_private === true),
      signingSecret(slack),
      clock,
    ];
  };
}

interface Looked extends AdapterCheckResult {
  readonly answer: Fields;
}

const result = ({ name, ok, detail }: Looked): AdapterCheckResult => ({ name, ok, detail });

async function looking(
  name: string,
  look: () => Promise<readonly [boolean, string, Fields]>,
): Promise<Looked> {
  try {
    const [ok, detail, answer] = await look();
    return { name, ok, detail, answer };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { name, ok: false, detail: error.message, answer: {} };
  }
}

const namesOf = ({ user, team }: Fields): string =>
  `${textOf(user) || 'an app'} in ${textOf(team) || 'a workspace'}`;

function judgeChannel(info: Fields): readonly [boolean, string] {
  const name = textOf(info.name) || 'the channel';
  if (info.is_archived === true) return [false, `${name} is archived: choose another, or unarchive it.`];
  if (info.is_member !== true) return [false, `the app is not in ${name}: write /invite @ its name there.`];
  if (info.is_ext_shared === true) {
    return [true, `the app is in ${name}. It is shared with another company, whose people can answer too.`];
  }
  return [true, `the app is in ${name}.`];
}

function scopesOf(granted: string | null, isPrivate: boolean): AdapterCheckResult {
  const name = 'scopes';
  if (granted === null) return { name, ok: true, detail: 'Slack did not say which scopes the token has.' };
  const have = new Set(granted.split(',').map((scope) => scope.trim()));
  const missing = SCOPES[isPrivate ? 'private' : 'public'].filter((scope) => !have.has(scope));
  if (missing.length === 0) return { name, ok: true, detail: 'the token has all that is needed.' };
  return { name, ok: false, detail: `add ${missing.join(', ')} to the app, and install it once more.` };
}

const signingSecret = ({ signingSecrets }: Slack): AdapterCheckResult => ({
  name: 'signing secret',
  ok: true,
  detail: `${signingSecrets.length} set. Whether it is right shows when Slack verifies the request URL.`,
});

function clockOf(date: string | null, now: number): AdapterCheckResult {
  const name = 'clock';
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return { name, ok: true, detail: 'Slack did not say what time it is.' };
  const seconds = Math.round(Math.abs(now - theirs) / 1000);
  if (seconds * 1000 <= MOST_SKEW_MS)
    return { name, ok: true, detail: `differs from Slack's by ${seconds} s.` };
  return {
    name,
    ok: false,
    detail: `differs from Slack's by ${seconds} s; from 300 s on every signature is refused. Set it by NTP.`,
  };
}
