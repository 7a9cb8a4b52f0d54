import { AdapterError, type AdapterErrorKind } from '../../bridge/index.js';
import { type Fields, textOf } from './read.js';

/** What Slack's own error names mean. What is not here is `invalid`: the same again would be refused again. */
const KINDS: Readonly<Record<AdapterErrorKind, readonly string[]>> = {
  auth: [
    'access_denied',
    'account_inactive',
    'ekm_access_denied',
    'enterprise_is_restricted',
    'invalid_auth',
    'missing_scope',
    'no_permission',
    'not_allowed_token_type',
    'not_authed',
    'not_in_channel',
    'org_login_required',
    'restricted_action',
    'restricted_action_read_only_channel',
    'restricted_action_thread_locked',
    'restricted_action_thread_only_channel',
    'team_access_not_granted',
    'token_expired',
    'token_revoked',
    'two_factor_setup_required',
  ],
  gone: ['cannot_reply_to_message', 'message_not_found', 'thread_not_found'],
  'rate-limited': ['message_limit_exceeded', 'rate_limited', 'ratelimited'],
  transient: ['fatal_error', 'internal_error', 'request_timeout', 'service_unavailable', 'team_added_to_org'],
  invalid: [],
};

const KIND_OF: ReadonlyMap<string, AdapterErrorKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) =>
    names.map((name): [string, AdapterErrorKind] => [name, kind as AdapterErrorKind]),
  ),
);

const ADVICE: Readonly<Record<string, string>> = {
  channel_not_found:
    "Look whether the channel's id is right; a private channel is found once the app is in it.",
  invalid_auth: 'Look whether the bot token is that of the app, and whole.',
  is_archived: 'The channel is archived: choose another, or unarchive it.',
  missing_scope: 'Add the scopes that the README names, then install the app once more.',
  not_in_channel: 'Invite the app into the channel: /invite @ its name.',
  token_expired: 'Token rotation is on for the app; this adapter needs a token that does not expire.',
  token_revoked: 'Install the app once more and set its new token.',
};

/** Names as Slack writes them; anything else might carry more than a name, and is not passed on. */
const NAME = /^[a-z][a-z0-9_]{1,60}$/;

/** Whose fault a channel is that cannot be used: the settings', or its own since a conversation was opened. */
export type ChannelFault = 'auth' | 'gone';

/** The error of an answer that says `ok: false`. */
export function apiError(method: string, answer: Fields, channelFault: ChannelFault): AdapterError {
  const given = textOf(answer.error);
  const name = NAME.test(given) ? given : 'an error without a name';
  const advice = ADVICE[name];
  const about = `Slack answered ${method} with ${name}.${advice === undefined ? '' : ` ${advice}`}`;
  return new AdapterError(kindOf(name, channelFault), about);
}

function kindOf(name: string, channelFault: ChannelFault): AdapterErrorKind {
  if (name === 'channel_not_found' || name === 'is_archived') return channelFault;
  return KIND_OF.get(name) ?? 'invalid';
}
