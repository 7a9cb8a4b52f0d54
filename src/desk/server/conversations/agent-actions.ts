import type { ActionInputs, AgentView, ConversationSummary, Priority, TeamView } from '../../api.js';
import { may } from '../agents/roles.js';
import { changedFields, createAudit } from '../audit.js';
import { DeskError } from '../errors.js';
import { DOCUMENT_KIND, type DocumentStore, type DocumentWrite } from '../store/index.js';
import {
  type ConversationRecord,
  type ConversationRecords,
  type DecideChange,
  previewOf,
  withRecent,
} from './conversation-records.js';
import { closeRecord } from './customer-actions.js';
import {
  CLOSE_MESSAGE_ID,
  changeOutgoing,
  type OutgoingItem,
  outgoingId,
  putOutgoing,
  readOutgoing,
} from './outgoing-items.js';

/** Actions of agents. Each rejects with a {@link DeskError} when it is not allowed. */
export interface AgentActions {
  claim(agent: AgentView, id: string): Promise<ConversationSummary>;
  release(agent: AgentView, id: string): Promise<ConversationSummary>;
  /** Assigns a conversation to another agent, or takes it over from one, which needs the permission for it. */
  transfer(agent: AgentView, id: string, to: string): Promise<ConversationSummary>;
  /** Transfers a conversation to a team, unassigned. Taking it from another agent needs the permission to take over. */
  pass(agent: AgentView, id: string, team: Pick<TeamView, 'id' | 'name'>): Promise<ConversationSummary>;
  /** Adds a note for agents, some of whom it mentions. Idempotent by `messageId`. */
  note(
    agent: AgentView,
    id: string,
    note: { readonly messageId: string; readonly text: string; readonly mentions: readonly string[] },
  ): Promise<ConversationSummary>;
  tag(
    agent: AgentView,
    id: string,
    add: readonly string[],
    remove: readonly string[],
  ): Promise<ConversationSummary>;
  prioritise(agent: AgentView, id: string, priority: Priority): Promise<ConversationSummary>;
  /** Hides one's own conversation from lists until a time; `null` shows it again. */
  snooze(agent: AgentView, id: string, until: number | null): Promise<ConversationSummary>;
  /** Records how many customer messages and mentions the agent has read. */
  read(agent: AgentView, id: string, seen: ActionInputs['read']): Promise<ConversationSummary>;
  /** Stores a reply for sending. Idempotent by `messageId`. */
  reply(agent: AgentView, id: string, messageId: string, text: string): Promise<ConversationSummary>;
  /**
   * Queues a failed reply again. `isDeadLetter`: the delivery still has it as a dead letter and will retry that, so
   * the attempt keeps its number.
   */
  retry(agent: AgentView, id: string, messageId: string, isDeadLetter: boolean): Promise<ConversationSummary>;
  /** Closes one's own conversation and stores the close for sending. */
  close(agent: AgentView, id: string): Promise<ConversationSummary>;
}

/** The value of a document that lists a mention. */
export interface StoredMention {
  readonly conversation: string;
}

/** The longest reply or note. */
const MAX_TEXT = 20_000;

/** Tags of a conversation. */
const MAX_TAGS = 20;

/** The fields whose changes the audit log shows. None of them holds messages of a customer. */
const AUDITED = ['state', 'agent', 'team', 'tags', 'priority', 'snoozedUntil'] as const;

export function createAgentActions(store: DocumentStore, records: ConversationRecords): AgentActions {
  const audit = createAudit(store);

  /** Changes a conversation and writes an audit line in the same transaction. */
  const change = async (
    agent: AgentView,
    action: string,
    id: string,
    decide: DecideChange,
    detail?: string,
  ): Promise<ConversationSummary> => {
    const summary = await records.change(id, async (record) => {
      const decided = await decide(record);
      if (!decided) return null;
      const { conversationId } = record;
      const changed = changedFields(record, decided.record, AUDITED);
      const line = audit.line(agent.id, action, { conversationId, ...(detail && { detail }), ...changed });
      return { ...decided, append: [...(decided.append ?? []), line] };
    });
    if (!summary) throw new DeskError('NOT_FOUND');
    return summary;
  };

  return {
    claim: (agent, id) =>
      change(agent, 'claim', id, (record) => {
        requireOpen(record);
        if (record.agent === agent.id) return null;
        if (record.agent !== null) throw new DeskError('TAKEN');
        return {
          record: { ...record, state: 'active', agent: agent.id },
          events: [{ type: 'claimed', agent: agent.id }],
        };
      }),
    release: (agent, id) =>
      change(agent, 'release', id, (record) => {
        requireOpen(record);
        if (record.agent === null) return null;
        requireOwner(record, agent);
        return {
          record: {
            ...record,
            state: 'waiting',
            agent: null,
            offer: null,
            snoozedUntil: null,
            declined: [...record.declined.filter((each) => each !== agent.id), agent.id],
          },
          events: [{ type: 'released', agent: agent.id }],
        };
      }),
    transfer: (agent, id, to) =>
      change(
        agent,
        'transfer',
        id,
        (record) => {
          requireOpen(record);
          if (record.agent === to) return null;
          if (record.agent !== null && record.agent !== agent.id) requireTakeOver(agent);
          return {
            record: { ...record, state: 'active', agent: to, offer: null, snoozedUntil: null },
            events: [{ type: 'transferred', agent: agent.id, to }],
          };
        },
        `to ${to}`,
      ),
    pass: (agent, id, team) =>
      change(
        agent,
        'pass',
        id,
        (record) => {
          requireOpen(record);
          if (record.team === team.id && record.agent === null) return null;
          if (record.agent !== null && record.agent !== agent.id) requireTakeOver(agent);
          const given = { state: 'waiting', agent: null, team: team.id } as const;
          return {
            record: {
              ...record,
              ...given,
              preferredAgent: null,
              declined: [agent.id],
              offer: null,
              snoozedUntil: null,
            },
            events: [{ type: 'passed', agent: agent.id, team: team.id, name: team.name }],
          };
        },
        `to ${team.name}`,
      ),
    note(agent, id, { messageId, text, mentions }) {
      checkText(text);
      return change(agent, 'note', id, (record) => {
        if (record.recent.includes(messageId)) return null;
        const counted = mentions.map((each) => {
          const { count, read } = record.mentions[each] ?? { count: 0, read: 0 };
          return [each, { count: count + 1, read }] as const;
        });
        return {
          record: {
            ...withRecent(record, messageId),
            mentions: { ...record.mentions, ...Object.fromEntries(counted) },
          },
          events: [
            { type: 'note', messageId, agent: agent.id, text, ...(mentions.length > 0 && { mentions }) },
          ],
          put: mentions.map((each) => mentionOf(record, each, messageId)),
        };
      });
    },
    tag: (agent, id, add, remove) =>
      change(agent, 'tag', id, (record) => {
        const added = [...new Set(add)].filter((tag) => !record.tags.includes(tag) && !remove.includes(tag));
        const removed = record.tags.filter((tag) => remove.includes(tag));
        if (added.length + removed.length === 0) return null;
        const tags = [...record.tags.filter((tag) => !remove.includes(tag)), ...added].sort();
        if (tags.length > MAX_TAGS) throw new DeskError('TOO_MANY_TAGS');
        return { record: { ...record, tags }, events: [{ type: 'tagged', agent: agent.id, added, removed }] };
      }),
    prioritise: (agent, id, priority) =>
      change(agent, 'priority', id, (record) => {
        if (record.priority === priority) return null;
        return {
          record: { ...record, priority },
          events: [{ type: 'prioritised', agent: agent.id, priority }],
        };
      }),
    snooze: (agent, id, until) =>
      change(agent, 'snooze', id, (record) => {
        requireOpen(record);
        requireOwner(record, agent);
        // The platform would end it while it is snoozed.
        if (until !== null && record.firstReplyAt === null && record.replyBy !== null) {
          throw new DeskError('UNANSWERED');
        }
        if (record.snoozedUntil === until) return null;
        return {
          record: { ...record, snoozedUntil: until },
          events: [{ type: 'snoozed', agent: agent.id, until }],
        };
      }),
    async read(agent, id, { customerMessages, mentions = 0 }) {
      const summary = await records.change(id, (record) => {
        const upTo = Math.min(customerMessages, record.customerMessages);
        const mentioned = record.mentions[agent.id];
        const mentionsUpTo = Math.min(mentions, mentioned?.count ?? 0);
        const isRead = (record.read[agent.id] ?? 0) >= upTo;
        const isMentionRead = !mentioned || mentioned.read >= mentionsUpTo;
        if (isRead && isMentionRead) return null;
        return {
          record: {
            ...record,
            ...(!isRead && { read: { ...record.read, [agent.id]: upTo } }),
            ...(!isMentionRead && {
              mentions: { ...record.mentions, [agent.id]: { ...mentioned, read: mentionsUpTo } },
            }),
          },
          events: [{ type: 'read', agent: agent.id }],
        };
      });
      if (!summary) throw new DeskError('NOT_FOUND');
      return summary;
    },
    reply(agent, id, messageId, text) {
      checkText(text);
      return change(agent, 'reply', id, async (record) => {
        if (await readOutgoing(store, outgoingId(id, messageId))) return null;
        requireOpen(record);
        if (record.agent !== null) requireOwner(record, agent);
        const now = Date.now();
        return {
          record: {
            ...record,
            state: 'active',
            agent: agent.id,
            offer: null,
            last: previewOf('agent', text, now),
            unansweredSince: null,
          },
          events: [
            ...(record.agent === null ? [{ type: 'claimed' as const, agent: agent.id }] : []),
            { type: 'message', messageId, from: 'agent', agent: agent.id, text },
          ],
          put: [newOutgoing(record, agent, { kind: 'message', messageId, text })],
        };
      });
    },
    retry: (agent, id, messageId, isDeadLetter) =>
      change(agent, 'retry', id, async (record) => {
        const found = await readOutgoing(store, outgoingId(id, messageId));
        if (found?.item.state !== 'failed') throw new DeskError('NOT_FAILED');
        requireOpen(record);
        if (record.agent !== null) requireOwner(record, agent);
        const attempt = found.item.attempt + (isDeadLetter ? 0 : 1);
        return changeOutgoing(record, found, { state: 'storing', reason: null, code: null, attempt });
      }),
    close: (agent, id) =>
      change(agent, 'close', id, (record) => {
        const closed = closeRecord(record, 'agent', agent.id);
        if (!closed) return null;
        requireOwner(record, agent);
        return {
          ...closed,
          put: [newOutgoing(record, agent, { kind: 'closed', messageId: CLOSE_MESSAGE_ID, text: '' })],
        };
      }),
  };
}

/** Lists the conversations with mentions of an agent, by the agent. */
const mentionOf = (record: ConversationRecord, agent: string, messageId: string): DocumentWrite => ({
  kind: DOCUMENT_KIND.mention,
  id: JSON.stringify([agent, record.id, messageId]),
  value: { conversation: record.id } satisfies StoredMention,
  version: 0,
  group: agent,
  conversationId: record.conversationId,
});

function newOutgoing(
  record: ConversationRecord,
  agent: AgentView,
  content: Pick<OutgoingItem, 'kind' | 'messageId' | 'text'>,
): DocumentWrite {
  const item: OutgoingItem = {
    ...content,
    deskId: record.id,
    agent: agent.id,
    name: agent.name,
    state: 'storing',
    reason: null,
    code: null,
    attempt: 1,
  };
  return putOutgoing(record, item, 0);
}

function requireOpen({ state }: ConversationRecord): void {
  if (state === 'closed') throw new DeskError('CLOSED');
}

function requireOwner(record: ConversationRecord, agent: AgentView): void {
  if (record.agent === null) throw new DeskError('UNCLAIMED');
  if (record.agent !== agent.id) throw new DeskError('NOT_YOURS');
}

function requireTakeOver({ role }: AgentView): void {
  if (!may(role, 'takeOver')) throw new DeskError('NOT_ALLOWED');
}

function checkText(text: string): void {
  if (text.trim() === '') throw new DeskError('EMPTY');
  if (text.length > MAX_TEXT) throw new DeskError('TOO_LONG');
}
