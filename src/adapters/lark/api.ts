import { z } from 'zod';
import {
  type AdapterCall,
  AdapterError,
  type AdapterErrorKind,
  type AdapterHttpRequest,
  asObject,
  createAdapterHttp,
  createTokenAuthorization,
  readAs,
} from '../../bridge/index.js';
import { type Fetch, parseJsonOrText } from '../../internal/index.js';
import type { CheckedSettings } from './settings.js';

const textField = z.string().nullish();

/** The answer to a request for a token, which has no `data`. */
const tokenSchema = z.object({ tenant_access_token: z.string(), expire: z.number() });

/** A message that was sent. */
export const sentSchema = z.object({
  message_id: textField,
  thread_id: textField,
  message_app_link: textField,
});

/** A message of a list. */
export const listedSchema = z.object({
  message_id: textField,
  thread_id: textField,
  msg_type: textField,
  create_time: textField,
  deleted: z.boolean().nullish(),
  sender: z.object({ id: z.string(), sender_type: z.string() }).nullish(),
  body: z.object({ content: z.string() }).nullish(),
  mentions: z.array(z.object({ key: z.string(), id: z.string(), name: z.string() })).nullish(),
  message_app_link: textField,
});
/** A message of a list. */
export type ListedMessage = z.output<typeof listedSchema>;

export const listSchema = z.object({
  items: z.array(listedSchema).nullish(),
  has_more: z.boolean().nullish(),
  page_token: textField,
});

/** A group chat. */
export const chatSchema = z.object({
  name: textField,
  external: z.boolean().nullish(),
  chat_status: textField,
});

/** A member of the company. */
export const userSchema = z.object({ user: z.object({ name: textField }).nullish() });

/** The bot of the app. This answer has no `data` either. */
const botSchema = z.object({
  bot: z.object({ app_name: textField, open_id: textField, activate_status: z.number().nullish() }),
});

/** A message to send. */
export interface NewMessage {
  readonly type: 'interactive' | 'post';
  readonly content: object;
  /** Of several requests with the same one, Lark carries out one within an hour. At most 50 characters. */
  readonly uuid?: string;
}

/** Where `list` looks. Lark limits the time in chats only. */
export type Container =
  | { readonly chat: string; readonly sinceSeconds: number }
  | { readonly thread: string };

/** The most that Lark lists at once. */
const PAGE_SIZE = 50;
/** A page of messages of up to 30 kB each. */
const MAX_RESPONSE_BYTES = 16 * 1_048_576;

/** The requests to Lark that the adapter makes. Every failure is an `AdapterError`. */
export type LarkApi = ReturnType<typeof createLarkApi>;

export function createLarkApi({ appId, appSecret, domain, timeoutMs }: CheckedSettings) {
  const options = {
    helpdesk: 'Lark',
    baseUrl: domain,
    headers: {},
    fetch: withErrorsInBody((url, init) => globalThis.fetch(url, init)),
    maxResponseBytes: MAX_RESPONSE_BYTES,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  const tokens = createAdapterHttp(options);
  const authorization = createTokenAuthorization(async (call) => {
    const json = { app_id: appId, app_secret: appSecret };
    const request = {
      method: 'POST',
      path: '/open-apis/auth/v3/tenant_access_token/internal',
      json,
    } as const;
    const { body } = await tokens(request, call);
    const code = codeOf(request, body);
    // A wrong secret has several codes.
    if (code !== 0) throw apiError(request, code, kindOf(code) === 'invalid' ? 'auth' : kindOf(code));
    const token = readAs(tokenSchema, body, 'Lark answered the request for a token in an unknown form.');
    return { value: token.tenant_access_token, expiresInSeconds: token.expire };
  });
  const http = createAdapterHttp({ ...options, authorization });

  /** `opening`: before a conversation exists, an unusable chat is a wrong setting. */
  const read = async <Schema extends z.ZodType>(
    schema: Schema,
    request: AdapterHttpRequest,
    call: AdapterCall,
    { opening = false, whole = false } = {},
  ): Promise<z.output<Schema>> => {
    const { body } = await http(request, call);
    const code = codeOf(request, body);
    if (TOKEN_CODES.has(code)) authorization.refused();
    if (code !== 0) throw apiError(request, code, kindOf(code, opening));
    const unknownForm = `Lark answered ${nameOf(request)} in an unknown form.`;
    return readAs(schema, whole ? body : (asObject(body).data ?? {}), unknownForm);
  };

  return {
    /** Sends a message to a chat. */
    create(chat: string, message: NewMessage, call: AdapterCall) {
      const json = { receive_id: chat, ...bodyOf(message) };
      const path = '/open-apis/im/v1/messages?receive_id_type=chat_id';
      return read(sentSchema, { method: 'POST', path, json }, call, { opening: true });
    },

    /** Sends a message to the thread of a message. */
    reply(root: string, message: NewMessage, call: AdapterCall) {
      const json = { ...bodyOf(message), reply_in_thread: true };
      return read(sentSchema, { method: 'POST', path: `${messagePath(root)}/reply`, json }, call);
    },

    /** Replaces a card. */
    async updateCard(id: string, card: object, call: AdapterCall) {
      const json = { content: JSON.stringify(card) };
      await read(z.unknown(), { method: 'PATCH', path: messagePath(id), json }, call);
    },

    /** A message; `null` when Lark does not show it. */
    async message(id: string, call: AdapterCall) {
      const path = `${messagePath(id)}?card_msg_content_type=user_card_content`;
      return (await read(listSchema, { method: 'GET', path }, call)).items?.[0] ?? null;
    },

    /** Messages of a chat or a thread, newest first. */
    async *list(container: Container, maxPages: number, call: AdapterCall) {
      const opening = 'chat' in container;
      const query = new URLSearchParams({
        ...(opening
          ? {
              container_id_type: 'chat',
              container_id: container.chat,
              start_time: String(container.sinceSeconds),
            }
          : { container_id_type: 'thread', container_id: container.thread }),
        sort_type: 'ByCreateTimeDesc',
        page_size: String(PAGE_SIZE),
        card_msg_content_type: 'user_card_content',
      });
      for (let page = 0; page < maxPages; page += 1) {
        const path = `/open-apis/im/v1/messages?${query.toString()}`;
        const { items, has_more, page_token } = await read(listSchema, { method: 'GET', path }, call, {
          opening,
        });
        yield* items ?? [];
        if (!has_more || !page_token) return;
        query.set('page_token', page_token);
      }
    },

    chat(id: string, call: AdapterCall) {
      const path = `/open-apis/im/v1/chats/${encodeURIComponent(id)}`;
      return read(chatSchema, { method: 'GET', path }, call, { opening: true });
    },

    /** The name of a member, by open id. */
    async userName(id: string, call: AdapterCall): Promise<string | null> {
      const path = `/open-apis/contact/v3/users/${encodeURIComponent(id)}?user_id_type=open_id`;
      const { user } = await read(userSchema, { method: 'GET', path }, call);
      return user?.name?.trim() || null;
    },

    async bot(call: AdapterCall) {
      const request = { method: 'GET', path: '/open-apis/bot/v3/info' } as const;
      return (await read(botSchema, request, call, { whole: true })).bot;
    },
  };
}

const messagePath = (id: string): string => `/open-apis/im/v1/messages/${encodeURIComponent(id)}`;

const bodyOf = ({ type, content, uuid }: NewMessage): object => ({
  msg_type: type,
  content: JSON.stringify(content),
  ...(uuid !== undefined && { uuid }),
});

/** Error kinds of Lark's codes. Codes that are not listed are `invalid`. */
const CODES: Readonly<Record<Exclude<AdapterErrorKind, 'invalid'>, readonly number[]>> = {
  auth: [
    99991401, 99991661, 99991663, 99991664, 99991668, 99991671, 99991672, 99991679, 230002, 230006, 230018,
    230027, 230035, 232011, 232025,
  ],
  gone: [230011, 230019, 230050, 230073, 230110, 230111],
  'rate-limited': [99991400, 230020],
  transient: [1500, 2200, 230049],
};

const KIND_BY_CODE: ReadonlyMap<number, AdapterErrorKind> = new Map(
  Object.entries(CODES).flatMap(([kind, codes]) =>
    codes.map((code): [number, AdapterErrorKind] => [code, kind as AdapterErrorKind]),
  ),
);

/** The access token is wrong or has expired. */
const TOKEN_CODES: ReadonlySet<number> = new Set([99991661, 99991663, 99991664, 99991668, 99991671]);

/** The chat does not exist, or was dissolved: a wrong setting, or the end of its conversations. */
const CHAT_CODES: ReadonlySet<number> = new Set([230034, 232006, 232009]);

function kindOf(code: number, opening = false): AdapterErrorKind {
  if (CHAT_CODES.has(code)) return opening ? 'auth' : 'gone';
  return KIND_BY_CODE.get(code) ?? 'invalid';
}

const ADVICE: Readonly<Record<number, string>> = {
  10003: 'Check the App ID, and that the domain is the one of your account: Feishu or Lark.',
  10014: 'Check the App Secret.',
  230002: 'Add the bot to the group chat.',
  230006: 'Add the feature "Bot" to the app, and publish a version.',
  230018: 'Let the bot write in the group settings.',
  230027: 'Add the permissions that the README lists, and publish a version.',
  230034: 'Check the id of the group chat.',
  230071: 'Choose a group chat in which threads are allowed.',
  232006: 'Check the id of the group chat.',
  232011: 'Add the bot to the group chat.',
  99991401: 'The app has a list of allowed IP addresses; add yours.',
  99991672: 'Add the permissions that the README lists, and publish a version.',
};

/** The method and path of a request. */
const nameOf = ({ method, path }: AdapterHttpRequest): string => `${method} ${path.replace(/\?.*$/s, '')}`;

/** The error for a code. Lark's own text may quote the request, and is not passed on. */
function apiError(request: AdapterHttpRequest, code: number, kind: AdapterErrorKind): AdapterError {
  const advice = ADVICE[code];
  const message = `Lark answered ${nameOf(request)} with code ${code}.${advice === undefined ? '' : ` ${advice}`}`;
  return new AdapterError(kind, message);
}

/** The code of an answer: 0 is success. */
function codeOf(request: AdapterHttpRequest, body: unknown): number {
  const { code } = asObject(body);
  if (typeof code === 'number') return code;
  throw new AdapterError('transient', `Lark answered ${nameOf(request)} with something other than its JSON.`);
}

/** Lark's errors have a code, with status 200 or 400. Only the code tells what happened. */
function withErrorsInBody(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.ok || response.status >= 500) return response;
    const text = await response.text();
    const { code } = asObject(parseJsonOrText(text));
    const { headers } = response;
    if (response.status === 429 || (typeof code === 'number' && kindOf(code) === 'rate-limited')) {
      const seconds = headers.get('retry-after') ?? headers.get('x-ogw-ratelimit-reset');
      return new Response(text, { status: 429, headers: seconds === null ? {} : { 'retry-after': seconds } });
    }
    return new Response(text, { status: typeof code === 'number' ? 200 : response.status });
  };
}
