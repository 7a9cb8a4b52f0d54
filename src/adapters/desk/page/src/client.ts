import type {
  ActionName,
  Actions,
  AgentView,
  CannedReply,
  ConversationView,
  DashboardView,
  DeadDetails,
  DeadView,
  DeskState,
  JournalEntry,
  ListView,
  Refusal,
  StateView,
  Summary,
  TeachRequest,
  TeachView,
} from '../../api.js';

/** A refusal of the desk, or a desk that cannot be reached. */
export class ClientError extends Error {
  /** Stable; `UNREACHABLE` when there was no answer. */
  readonly code: string;

  constructor({ code, message }: Refusal) {
    super(message);
    this.code = code;
  }
}

/** Asks the desk. Every failure is a {@link ClientError}. */
export interface Client {
  state(): Promise<StateView>;
  /** Who works here now. Cheap, so it also tells whether the session has ended. */
  agents(): Promise<readonly AgentView[]>;
  conversation(id: string): Promise<ConversationView>;
  entries(
    id: string,
    before: number,
  ): Promise<{ readonly entries: readonly JournalEntry[]; readonly more: boolean }>;
  list(query: {
    readonly state?: DeskState;
    readonly search?: string;
    readonly before?: number;
  }): Promise<ListView>;
  act<Name extends ActionName>(id: string, name: Name, input: Actions[Name]): Promise<Summary | undefined>;
  saveCanned(replies: readonly CannedReply[]): Promise<void>;
  teaching(): Promise<TeachView>;
  teach(request: TeachRequest): Promise<TeachView>;
  dashboard(): Promise<DashboardView>;
  dead(item: Pick<DeadView, 'queue' | 'id'>): Promise<DeadDetails>;
  settleDead(item: Pick<DeadView, 'queue' | 'id'>, how: 'retry' | 'discard'): Promise<void>;
  logout(): Promise<void>;
}

/** How long an answer may take. */
const TIMEOUT_MS = 20_000;

/** Makes a {@link Client}. Addresses are relative to the page, so the desk can be mounted anywhere. */
export function createClient(onLoggedOut: () => void): Client {
  let token = '';

  const ask = async <Answer>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
  ): Promise<Answer> => {
    const response = await fetch(path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(method !== 'GET' && { 'x-desk-token': token }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new ClientError({ code: 'UNREACHABLE', message: '' });
    });
    if (response.status === 401) onLoggedOut();
    if (response.status === 204) return undefined as Answer;
    const answer: unknown = await response.json().catch(() => null);
    if (!response.ok) throw new ClientError(refusalIn(answer));
    return answer as Answer;
  };

  const at = (id: string, ...more: string[]): string =>
    ['api/conversations', encodeURIComponent(id), ...more].join('/');
  const deadAt = ({ queue, id }: Pick<DeadView, 'queue' | 'id'>): string =>
    `api/dead/${queue}/${encodeURIComponent(id)}`;

  return {
    async state() {
      const state = await ask<StateView>('GET', 'api/state');
      token = state.token;
      return state;
    },
    agents: () => ask('GET', 'api/agents'),
    conversation: (id) => ask('GET', at(id)),
    entries: (id, before) => ask('GET', `${at(id, 'entries')}?before=${before}`),
    list: (query) => {
      const given = Object.entries(query).map(([name, value]) => [name, String(value)] as const);
      return ask('GET', `api/conversations?${new URLSearchParams(Object.fromEntries(given))}`);
    },
    act: (id, name, input) => ask('POST', at(id, name), input),
    saveCanned: (replies) => ask('PUT', 'api/canned', replies),
    teaching: () => ask('GET', 'api/teach'),
    teach: (request) => ask('POST', 'api/teach', request),
    dashboard: () => ask('GET', 'api/dashboard'),
    dead: (item) => ask('GET', deadAt(item)),
    settleDead: (item, how) => ask('POST', `${deadAt(item)}/${how}`, {}),
    logout: () => ask('POST', 'logout', {}),
  };
}

function refusalIn(answer: unknown): Refusal {
  const isRefusal = typeof answer === 'object' && answer !== null && 'code' in answer && 'message' in answer;
  return isRefusal ? (answer as Refusal) : { code: 'FAILED', message: '' };
}
