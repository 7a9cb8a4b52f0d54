import { expect } from 'vitest';
import type {
  ActionInputs,
  ActionName,
  ConversationUpdate,
  ConversationView,
  DeliveryState,
  StateView,
} from '../../src/desk/api.js';
import { eventually } from '../helpers/eventually.js';
import { problemsOf } from './described-answers.js';

/** An answer of the desk. */
export interface DeskAnswer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The statuses of answers, the lowest first. */
export const statusesOf = (answers: readonly DeskAnswer[]): number[] =>
  answers.map(({ status }) => status).sort((a, b) => a - b);

/** Talks to the API as the page of an agent who is logged in. Each answer is compared with the desk's description. */
export interface AgentClient {
  readonly cookie: string;
  readonly token: string;
  get<Body = unknown>(path: string): Promise<DeskAnswer<Body>>;
  send(
    method: 'POST' | 'PUT',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<DeskAnswer>;
  act<Name extends ActionName>(id: string, name: Name, input: ActionInputs[Name]): Promise<DeskAnswer>;
  state(): Promise<StateView>;
  conversation(id: string): Promise<ConversationView>;
  /** Waits for a handoff to arrive; gives the desk's own id of it. */
  idOf(conversationId: string): Promise<string>;
  /** Sends a reply; gives the id of the message. */
  say(id: string, text: string): Promise<string>;
  /** The delivery states of a message so far, in order. */
  deliveries(id: string, messageId: string): Promise<DeliveryState[]>;
  logOut(): Promise<DeskAnswer>;
}

export { eventually };

/** Posts to the login as its page does. */
export async function postLogin(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}/desk/login`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** The cookie that an answer sets, as `name=value`; empty without one. */
export const cookieOf = (answer: Response): string => answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';

/** Logs in. */
export async function logIn(url: string, name: string, password: string): Promise<AgentClient> {
  const answer = await postLogin(url, { name, password });
  expect(answer.status).toBe(204);
  return clientOf(url, cookieOf(answer));
}

/** The client of the agent with this cookie. */
export async function clientOf(url: string, cookie: string): Promise<AgentClient> {
  let token = '';
  let count = 0;

  const ask = async (method: string, path: string, input?: unknown, more: Record<string, string> = {}) => {
    const response = await fetch(`${url}/desk${path}`, {
      method,
      redirect: 'manual',
      headers: {
        cookie,
        ...(method !== 'GET' && { origin: url, 'x-desk-token': token }),
        ...(input !== undefined && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(input !== undefined && { body: typeof input === 'string' ? input : JSON.stringify(input) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
    const body = isJson ? JSON.parse(text) : text;
    if (isJson || response.status === 204) {
      const pathname = path.split('?')[0] ?? '';
      expect(await problemsOf(method, pathname, response.status, body)).toEqual([]);
    }
    return { status: response.status, headers: response.headers, body };
  };

  const state = async (): Promise<StateView> => (await ask('GET', '/api/state')).body;
  const conversation = async (id: string): Promise<ConversationView> =>
    (await ask('GET', `/api/conversations/${id}`)).body;
  const act: AgentClient['act'] = (id, name, input) => ask('POST', `/api/conversations/${id}/${name}`, input);
  token = (await ask('GET', '/api/account')).body.token;

  return {
    cookie,
    token,
    get: (path) => ask('GET', path),
    send: ask,
    act,
    state,
    conversation,
    idOf: (conversationId) =>
      eventually(async () => {
        const { conversations } = await state();
        const found = conversations.find((each) => each.conversationId === conversationId);
        if (!found) throw new Error('the handoff has not arrived at the desk');
        return found.id;
      }),
    async say(id, text) {
      count += 1;
      const messageId = `m-${process.pid}-${count}-${Math.random()}`;
      expect((await act(id, 'reply', { messageId, text })).status).toBe(200);
      return messageId;
    },
    async deliveries(id, messageId) {
      const { entries } = await conversation(id);
      return entries.flatMap(({ event }) =>
        event.type === 'delivery' && event.messageId === messageId ? event.state : [],
      );
    },
    logOut: () => ask('POST', '/logout', {}),
  };
}

/** A stream of live updates. */
export interface Stream {
  readonly entries: readonly ConversationUpdate[];
  /** The raw text so far. */
  readonly text: () => string;
  /** Resolves when the desk ends the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Listens to live updates as the page does. */
export async function listen(
  url: string,
  cookie: string,
  { after, lastEventId }: { readonly after?: number; readonly lastEventId?: number } = {},
): Promise<Stream> {
  const controller = new AbortController();
  const query = after === undefined ? '' : `?after=${after}`;
  const response = await fetch(`${url}/desk/api/events${query}`, {
    headers: { cookie, ...(lastEventId !== undefined && { 'last-event-id': `${lastEventId}` }) },
    signal: controller.signal,
  });
  expect(response.status).toBe(200);
  const entries: ConversationUpdate[] = [];
  let text = '';
  let rest = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const data = /^data: (\{"seq"[^\n]*)/m.exec(block)?.[1];
        if (data !== undefined) entries.push(JSON.parse(data));
      }
    }
  };
  const ended = read().catch(() => undefined);
  return { entries, text: () => text, ended, close: () => controller.abort() };
}
