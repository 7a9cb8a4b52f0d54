import type {
  AccountView,
  ActionInputs,
  ActionName,
  AgentView,
  BulkAction,
  BulkRequest,
  BulkResult,
  CannedList,
  ConversationListView,
  ConversationStatus,
  ConversationSummary,
  ConversationUpdate,
  ConversationView,
  CustomerDetailsView,
  DashboardView,
  DeadLetterDetails,
  DeadLetterView,
  ErrorBody,
  PresenceView,
  ReportView,
  SavedFilter,
  StateView,
  TeachRequest,
  TeachView,
  UnteachRequest,
} from '../../api.js';

/** An error answer of the desk, or no answer. */
export class ClientError extends Error {
  /** The desk's error code; `UNREACHABLE` without an answer. */
  readonly code: string;

  constructor({ code, message }: ErrorBody) {
    super(message);
    this.code = code;
  }
}

/** Calls the desk's API. Every failure is a {@link ClientError}. */
export interface Client {
  state(): Promise<StateView>;
  account(): Promise<AccountView>;
  /** The agents. Cheap, so it also serves to check the session. */
  agents(): Promise<readonly AgentView[]>;
  conversation(id: string): Promise<ConversationView>;
  entries(
    id: string,
    before: number,
  ): Promise<{ readonly entries: readonly ConversationUpdate[]; readonly more: boolean }>;
  list(query: {
    readonly state?: ConversationStatus;
    readonly search?: string;
    /** The last conversation of the page before. */
    readonly after?: Pick<ConversationSummary, 'requestedAt' | 'id'>;
  }): Promise<ConversationListView>;
  act<Name extends ActionName>(
    id: string,
    name: Name,
    input: ActionInputs[Name],
  ): Promise<ConversationSummary | undefined>;
  /** Runs an action on several conversations. */
  actOnAll<Name extends BulkAction>(request: BulkRequest<Name>): Promise<BulkResult>;
  /** Says which conversation the agent is viewing. */
  setPresence(presence: Omit<PresenceView, 'agent'>): Promise<void>;
  customer(id: string): Promise<CustomerDetailsView>;
  saveFilters(filters: readonly SavedFilter[]): Promise<readonly SavedFilter[]>;
  canned(): Promise<CannedList>;
  saveCanned(list: CannedList): Promise<CannedList>;
  teaching(bot: string): Promise<TeachView>;
  teach(request: TeachRequest): Promise<TeachView>;
  unteach(request: UnteachRequest): Promise<TeachView>;
  dashboard(): Promise<DashboardView>;
  /** Of a range of days, such as `2026-03-02`. */
  report(range: { readonly from: string; readonly to: string }): Promise<ReportView>;
  deadLetter(item: Pick<DeadLetterView, 'queue' | 'id'>): Promise<DeadLetterDetails>;
  settleDeadLetter(item: Pick<DeadLetterView, 'queue' | 'id'>, how: 'retry' | 'discard'): Promise<void>;
  logout(): Promise<void>;
  /** Calls any other route. */
  call<Answer>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Answer>;
}

const TIMEOUT_MS = 20_000;

/** URLs are relative to the page, so that the desk can be mounted anywhere. */
export function createClient(onLoggedOut: () => void): Client {
  let token = '';

  const request = async <Answer>(
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
    const answer: unknown = await response.json().catch(() => {
      // The connection broke in the middle, or something else than the desk has answered.
      if (response.ok) throw new ClientError({ code: 'UNREACHABLE', message: '' });
      return null;
    });
    if (!response.ok) throw new ClientError(errorIn(answer));
    return answer as Answer;
  };

  const conversationPath = (id: string, ...more: string[]): string =>
    ['api/conversations', encodeURIComponent(id), ...more].join('/');
  const deadLetterPath = ({ queue, id }: Pick<DeadLetterView, 'queue' | 'id'>): string =>
    `api/dead/${queue}/${encodeURIComponent(id)}`;

  return {
    async state() {
      const state = await request<StateView>('GET', 'api/state');
      token = state.token;
      return state;
    },
    async account() {
      const account = await request<AccountView>('GET', 'api/account');
      token = account.token;
      return account;
    },
    agents: () => request('GET', 'api/agents'),
    conversation: (id) => request('GET', conversationPath(id)),
    entries: (id, before) => request('GET', `${conversationPath(id, 'entries')}?before=${before}`),
    list: ({ after, ...query }) => {
      const before = after ? { before: after.requestedAt, beforeId: after.id } : {};
      const given = Object.entries({ ...query, ...before }).map(
        ([name, value]) => [name, String(value)] as const,
      );
      return request('GET', `api/conversations?${new URLSearchParams(Object.fromEntries(given))}`);
    },
    act: (id, name, input) => request('POST', conversationPath(id, name), input),
    actOnAll: (bulk) => request('POST', 'api/bulk', bulk),
    setPresence: (presence) => request('POST', 'api/presence', presence),
    customer: (id) => request('GET', conversationPath(id, 'customer')),
    saveFilters: (filters) => request('PUT', 'api/filters', { filters }),
    canned: () => request('GET', 'api/canned'),
    saveCanned: (list) => request('PUT', 'api/canned', list),
    teaching: (bot) => request('GET', `api/teach?bot=${encodeURIComponent(bot)}`),
    unteach: (pair) => request('POST', 'api/teach/remove', pair),
    teach: (pair) => request('POST', 'api/teach', pair),
    report: ({ from, to }) => request('GET', `api/report?from=${from}&to=${to}`),
    dashboard: () => request('GET', 'api/dashboard'),
    deadLetter: (item) => request('GET', deadLetterPath(item)),
    settleDeadLetter: (item, how) => request('POST', `${deadLetterPath(item)}/${how}`, {}),
    logout: () => request('POST', 'logout', {}),
    call: request,
  };
}

function errorIn(answer: unknown): ErrorBody {
  const isError = typeof answer === 'object' && answer !== null && 'code' in answer && 'message' in answer;
  return isError ? (answer as ErrorBody) : { code: 'FAILED', message: '' };
}
