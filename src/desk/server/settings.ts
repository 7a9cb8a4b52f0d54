import type {
  AgentView,
  AssignmentRules,
  AssignmentSettings,
  CannedList,
  CannedReply,
  LoginPolicyView,
  SavedFilter,
  TeamList,
  TeamView,
} from '../api.js';
import { type AuditLine, changedFields, createAudit } from './audit.js';
import { DeskError } from './errors.js';
import { DOCUMENT_KIND, type DocumentStore, type JournalAppend } from './store/index.js';

/** A document that is replaced as a whole. It applies to all processes on the store, from the next request on. */
export interface Setting<Value> {
  read(): Promise<{ readonly value: Value; readonly version: number }>;
  /** Resolves to `false` if the document was replaced since `version` was read. */
  replace(value: Value, version: number, line: JournalAppend): Promise<boolean>;
  /** Replaces the document whatever it holds; `linesOf` gives the audit lines. */
  overwrite(value: Value, linesOf?: (before: Value) => readonly JournalAppend[]): Promise<void>;
}

export function createSetting<Value>(store: DocumentStore, id: string, initial: Value): Setting<Value> {
  const kind = DOCUMENT_KIND.settings;
  const read: Setting<Value>['read'] = async () => {
    const document = await store.get(kind, id);
    return { value: (document?.value as Value | undefined) ?? initial, version: document?.version ?? 0 };
  };
  return {
    read,
    async replace(value, version, line) {
      return (await store.write({ put: [{ kind, id, value, version }], append: [line] })) !== null;
    },
    async overwrite(value, linesOf = () => []) {
      for (;;) {
        const { value: before, version } = await read();
        if (await store.write({ put: [{ kind, id, value, version }], append: linesOf(before) })) return;
      }
    },
  };
}

export interface Teams {
  list(): Promise<TeamList>;
  /** Replaces the list. Rejects if another administrator has replaced it since it was read. */
  save(agent: AgentView, list: TeamList): Promise<TeamList>;
}

export function createTeams(store: DocumentStore): Teams {
  const audit = createAudit(store);
  const setting = createSetting<readonly TeamView[]>(store, 'teams', []);
  return {
    async list() {
      const { value: teams, version } = await setting.read();
      return { teams, version };
    },
    async save(agent, { teams, version }) {
      const before = membersOf((await setting.read()).value);
      const line = audit.line(agent.id, 'teams changed', { before, after: membersOf(teams) });
      if (!(await setting.replace(teams, version, line))) throw new DeskError('TEAMS_CHANGED');
      return { teams, version: version + 1 };
    },
  };
}

const membersOf = (teams: readonly TeamView[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(teams.map(({ name, members }) => [name, members]));

/** The rules by which conversations are assigned. */
export interface Rules {
  read(): Promise<AssignmentSettings>;
  /** Replaces the rules. Rejects if another administrator has replaced them since they were read. */
  save(agent: AgentView, settings: AssignmentSettings): Promise<AssignmentSettings>;
}

/** At a new desk, conversations wait until an agent claims them. */
const DEFAULT_RULES: AssignmentRules = { method: 'manual', capacity: null, bots: [] };

export function createRules(store: DocumentStore): Rules {
  const audit = createAudit(store);
  const setting = createSetting(store, 'assignment', DEFAULT_RULES);
  return {
    async read() {
      const { value, version } = await setting.read();
      return { ...value, version };
    },
    async save(agent, { version, ...rules }) {
      const { value: before } = await setting.read();
      const changed = changedFields(before, rules, ['method', 'capacity', 'bots']);
      const isReplaced = await setting.replace(
        rules,
        version,
        audit.line(agent.id, 'assignment rules', changed),
      );
      if (!isReplaced) throw new DeskError('RULES_CHANGED');
      return { ...rules, version: version + 1 };
    },
  };
}

/** What administrators require of logins with a password. */
export interface LoginPolicy {
  get(): Promise<LoginPolicyView>;
  save(agent: AgentView, policy: LoginPolicyView): Promise<LoginPolicyView>;
}

export function createLoginPolicy(store: DocumentStore): LoginPolicy {
  const audit = createAudit(store);
  const setting = createSetting<LoginPolicyView>(store, 'login-policy', { requiresTotp: false });
  return {
    get: async () => (await setting.read()).value,
    async save(agent, policy) {
      await setting.overwrite(policy, (before) => {
        const changed = changedFields(before, policy, ['requiresTotp']);
        return changed.after ? [audit.line(agent.id, 'login policy changed', changed)] : [];
      });
      return policy;
    },
  };
}

export interface CannedReplies {
  list(): Promise<CannedList>;
  /** Replaces the list. Rejects if another agent has replaced it since it was read. */
  save(agent: AgentView, list: CannedList): Promise<CannedList>;
}

/** The replies of a new desk. */
const DEFAULT_REPLIES: readonly CannedReply[] = [
  { id: 'hello', title: 'Hello', text: 'Hello, this is {agent}. How can I help you?' },
  { id: 'moment', title: 'One moment', text: 'One moment please, I am looking into it.' },
  { id: 'goodbye', title: 'Goodbye', text: 'Thank you for writing to us. Goodbye!' },
];

export function createCannedReplies(store: DocumentStore): CannedReplies {
  const audit = createAudit(store);
  const setting = createSetting(store, 'canned', DEFAULT_REPLIES);
  return {
    async list() {
      const { value: replies, version } = await setting.read();
      return { replies, version };
    },
    async save(agent, { replies, version }) {
      const changed = differenceOf((await setting.read()).value, replies);
      const isReplaced = await setting.replace(
        replies,
        version,
        audit.line(agent.id, 'canned replies', changed),
      );
      if (!isReplaced) throw new DeskError('CANNED_CHANGED');
      return { replies, version: version + 1 };
    },
  };
}

/** Texts in the audit log are cut to this length. */
const MAX_AUDITED = 200;

/** The replies that were added, changed or removed, by id. */
function differenceOf(
  before: readonly CannedReply[],
  after: readonly CannedReply[],
): Pick<AuditLine, 'before' | 'after'> {
  const textsOf = (replies: readonly CannedReply[]): Record<string, string> =>
    Object.fromEntries(replies.map(({ id, title, text }) => [id, `${title}: ${text}`.slice(0, MAX_AUDITED)]));
  const [old, now] = [textsOf(before), textsOf(after)];
  return changedFields(old, now, [...new Set([...Object.keys(old), ...Object.keys(now)])]);
}

/** The saved filters of agents, each their own. */
export interface SavedFilters {
  list(agent: AgentView): Promise<readonly SavedFilter[]>;
  /** Replaces the list. Of two tabs of an agent, the last one wins. */
  save(agent: AgentView, filters: readonly SavedFilter[]): Promise<readonly SavedFilter[]>;
}

export function createSavedFilters(store: DocumentStore): SavedFilters {
  const settingOf = ({ id }: AgentView) => createSetting<readonly SavedFilter[]>(store, `filters/${id}`, []);
  return {
    list: async (agent) => (await settingOf(agent).read()).value,
    async save(agent, filters) {
      await settingOf(agent).overwrite(filters);
      return filters;
    },
  };
}
