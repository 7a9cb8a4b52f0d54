import type {
  AccountView,
  ActionInputs,
  ActionName,
  AgentView,
  AssistPiece,
  AssistRequest,
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
  /** Asks the assistant; `onText` gets each piece as it comes. Resolves to whether the answer was cut off. */
  assist(
    id: string,
    request: AssistRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<{ readonly isCut: boolean }>;
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
const UNREACHABLE: ErrorBody = { code: 'UNREACHABLE', message: '' };

/** URLs are relative to the page, so that the desk can be mounted anywhere. */
export function createClient(onLoggedOut: () => void): Client {
  let token = '';

  /** Sends a request. An answer that is not a success is thrown. */
  const send = async (
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<Response> => {
    const response = await fetch(path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(method !== 'GET' && { 'x-desk-token': token }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal,
    }).catch(() => {
      throw new ClientError(UNREACHABLE);
    });
    if (response.status === 401) onLoggedOut();
    if (!response.ok) throw new ClientError(errorIn(await response.json().catch(() => null)));
    return response;
  };

  const request = async <Answer>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    body?: unknown,
  ): Promise<Answer> => {
    const response = await send(method, path, body, AbortSignal.timeout(TIMEOUT_MS));
    if (response.status === 204) return undefined as Answer;
    return (await response.json().catch(() => {
      // The connection broke in the middle, or something else than the desk has answered.
      throw new ClientError(UNREACHABLE);
    })) as Answer;
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
    async assist(id, wanted, onText, signal) {
      const response = await send('POST', `api/assist/${encodeURIComponent(id)}`, wanted, signal);
      for await (const line of linesOf(response)) {
        const piece = JSON.parse(line) as AssistPiece;
        if ('text' in piece) onText(piece.text);
        else if ('done' in piece) return piece;
        else throw new ClientError({ code: piece.error, message: '' });
      }
      throw new ClientError(UNREACHABLE);
    },
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

/** The lines of an answer, as they come. An incomplete last line is left out. */
async function* linesOf({ body }: Response): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = '';
  for (;;) {
    const { done, value } = (await reader?.read().catch(() => null)) ?? { done: true, value: '' };
    if (done) return;
    const lines = (waiting + value).split('\n');
    waiting = lines.pop() ?? '';
    yield* lines;
  }
}
