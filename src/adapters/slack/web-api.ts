import {
  type AdapterCall,
  AdapterError,
  type AdapterErrorKind,
  type AdapterHttpOptions,
  asText,
  createAdapterHttp,
  isObject,
  type JsonObject,
} from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';

/** An unusable channel is a wrong setting (`auth`), or was archived since the conversation was opened (`gone`). */
export type ChannelErrorKind = 'auth' | 'gone';

interface CallOptions {
  /** The error kind for an unusable channel. Default `gone`. */
  readonly channelErrorKind?: ChannelErrorKind;
}

/** The methods of Slack's Web API that the adapter calls. Every failure is an `AdapterError`. */
export interface SlackApi {
  /** Calls a method that writes. */
  write(
    method: 'chat.postMessage' | 'chat.update',
    args: JsonObject,
    call: Pick<AdapterCall, 'signal'>,
    options?: CallOptions,
  ): Promise<JsonObject>;
  /** Calls a method that only reads. */
  read(
    method:
      | 'auth.test'
      | 'conversations.history'
      | 'conversations.info'
      | 'conversations.replies'
      | 'users.info',
    args: Readonly<Record<string, string>>,
    call: Pick<AdapterCall, 'signal'>,
    options?: CallOptions,
  ): Promise<JsonObject>;
}

/** Creates the client. Slack answers 200 to almost everything; the body tells success from failure. */
export function createSlackApi(
  { apiUrl, botToken, timeoutMs }: CheckedSettings,
  fetch?: AdapterHttpOptions['fetch'],
): SlackApi {
  const http = createAdapterHttp({
    helpdesk: 'Slack',
    baseUrl: apiUrl,
    headers: { authorization: `Bearer ${botToken}` },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(fetch === undefined ? {} : { fetch }),
  });

  const checkBody = (
    method: string,
    body: unknown,
    { channelErrorKind = 'gone' }: CallOptions = {},
  ): JsonObject => {
    if (!isObject(body))
      throw new AdapterError('transient', `Slack answered ${method} with something other than JSON.`);
    if (body.ok !== true) throw apiError(method, body, channelErrorKind);
    return body;
  };

  return {
    async write(method, args, call, options) {
      // Slack warns about a missing charset.
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      const { body } = await http({ method: 'POST', path: `/${method}`, json: args, headers }, call);
      return checkBody(method, body, options);
    },
    async read(method, args, call, options) {
      // Slack does not document JSON arguments for these methods.
      const path = `/${method}?${new URLSearchParams(args).toString()}`;
      const { body } = await http({ method: 'GET', path }, call);
      return checkBody(method, body, options);
    },
  };
}

/** Error kinds of Slack's error names. Names that are not listed are `invalid`. */
const NAMES_BY_KIND: Readonly<Record<AdapterErrorKind, readonly string[]>> = {
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

const KIND_BY_NAME: ReadonlyMap<string, AdapterErrorKind> = new Map(
  Object.entries(NAMES_BY_KIND).flatMap(([kind, names]) =>
    names.map((name): [string, AdapterErrorKind] => [name, kind as AdapterErrorKind]),
  ),
);

const ADVICE: Readonly<Record<string, string>> = {
  channel_not_found: "Check the channel's id; a private channel is found only once the app is in it.",
  invalid_auth: 'Check that the bot token belongs to the app and is complete.',
  is_archived: 'The channel is archived: choose another, or unarchive it.',
  missing_scope: 'Add the scopes that the README lists, then reinstall the app.',
  not_in_channel: 'Invite the app into the channel: /invite @ its name.',
  token_expired: 'Token rotation is on for the app; this adapter needs a token that does not expire.',
  token_revoked: 'Reinstall the app and set its new token.',
};

/** Other texts may contain more than a name, and are not passed on. */
const ERROR_NAME = /^[a-z][a-z0-9_]{1,60}$/;

/** The error for a response with `ok: false`. */
function apiError(method: string, response: JsonObject, channelErrorKind: ChannelErrorKind): AdapterError {
  const error = asText(response.error);
  const name = ERROR_NAME.test(error) ? error : 'an error without a name';
  const advice = ADVICE[name];
  const message = `Slack answered ${method} with ${name}.${advice === undefined ? '' : ` ${advice}`}`;
  return new AdapterError(errorKindOf(name, channelErrorKind), message);
}

function errorKindOf(name: string, channelErrorKind: ChannelErrorKind): AdapterErrorKind {
  if (name === 'channel_not_found' || name === 'is_archived') return channelErrorKind;
  return KIND_BY_NAME.get(name) ?? 'invalid';
}
