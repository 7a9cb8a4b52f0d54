import {
  type AdapterCall,
  AdapterError,
  type AdapterHttpOptions,
  createAdapterHttp,
} from '../../bridge/index.js';
import { apiError, type ChannelFault } from './api-error.js';
import { type Fields, isFields } from './read.js';
import type { Slack } from './settings.js';

/** What a call of the Web API may differ in. */
interface CallOptions {
  /** What a channel that cannot be used means. Default `gone`. */
  readonly channelFault?: ChannelFault;
}

/** Slack's Web API, as far as it is used here. Whatever goes wrong is an `AdapterError`. */
export interface SlackApi {
  /** Calls a method that changes something. */
  write(
    method: 'chat.postMessage' | 'chat.update',
    args: Fields,
    call: Pick<AdapterCall, 'signal'>,
    options?: CallOptions,
  ): Promise<Fields>;
  /** Calls a method that only reads. */
  read(
    method: 'auth.test' | 'conversations.history' | 'conversations.info',
    args: Readonly<Record<string, string>>,
    call: Pick<AdapterCall, 'signal'>,
    options?: CallOptions,
  ): Promise<Fields>;
}

/** Makes the client. Slack answers 200 to almost everything; whether it went well is in the body. */
export function createSlackApi(
  { apiUrl, botToken, timeoutMs }: Slack,
  fetch?: AdapterHttpOptions['fetch'],
): SlackApi {
  const http = createAdapterHttp({
    system: 'Slack',
    baseUrl: apiUrl,
    headers: { authorization: `Bearer ${botToken}` },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(fetch === undefined ? {} : { fetch }),
  });

  const judge = (method: string, body: unknown, { channelFault = 'gone' }: CallOptions = {}): Fields => {
    if (!isFields(body))
      throw new AdapterError('transient', `Slack answered ${method} with something else than JSON.`);
    if (body.ok !== true) throw apiError(method, body, channelFault);
    return body;
  };

  return {
    async write(method, args, call, options) {
      // Without the charset Slack answers with a warning.
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      const { body } = await http({ method: 'POST', path: `/${method}`, json: args, headers }, call);
      return judge(method, body, options);
    },
    async read(method, args, call, options) {
      // These methods do not promise to read JSON.
      const path = `/${method}?${new URLSearchParams(args).toString()}`;
      const { body } = await http({ method: 'GET', path }, call);
      return judge(method, body, options);
    },
  };
}
