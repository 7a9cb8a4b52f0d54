import type { Shelf } from '../../../delivery/index.js';
import type { AgentView, Summary } from '../api.js';
import { DeskRefusal } from '../refuse.js';
import { createAudit } from './audit.js';
import type { Decide, Records } from './change-record.js';
import { endOf } from './customer.js';
import {
  CLOSED_ID,
  type Outgoing,
  outgoingDecision,
  outgoingId,
  putOutgoing,
  readOutgoing,
} from './outgoing.js';
import { type DeskRecord, lastSaid } from './record.js';

/** What agents do. Each verb is refused with a {@link DeskRefusal} where it cannot be done. */
export interface AgentSide {
  claim(agent: AgentView, id: string): Promise<Summary>;
  release(agent: AgentView, id: string): Promise<Summary>;
  /** Gives a conversation to another agent, or takes it over. */
  transfer(agent: AgentView, id: string, to: string): Promise<Summary>;
  note(agent: AgentView, id: string, text: string): Promise<Summary>;
  /** Notes how far an agent has read. */
  read(agent: AgentView, id: string, customerMessages: number): Promise<Summary>;
  /** Writes a reply down, to be sent. The same message again changes nothing. */
  reply(agent: AgentView, id: string, messageId: string, text: string): Promise<Summary>;
  /**
   * Lets a failed reply be sent again: as a new one, or where what failed before goes on by itself (`isRevived`), as
   * the same.
   */
  retry(agent: AgentView, id: string, messageId: string, isRevived: boolean): Promise<Summary>;
  /** Ends a conversation, and writes down that the user is to be told. */
  close(agent: AgentView, id: string): Promise<Summary>;
}

/** The longest reply and note. */
const LONGEST_TEXT = 20_000;

/** Makes {@link AgentSide}. */
export function createAgentSide(shelf: Shelf, records: Records): AgentSide {
  const audit = createAudit(shelf);

  const change = async (
    agent: AgentView,
    action: string,
    id: string,
    decide: Decide,
    detail?: string,
  ): Promise<Summary> => {
    const summary = await records.change(id, async (record) => {
      const decision = await decide(record);
      if (!decision) return null;
      const { conversationId } = record;
      const line = audit.line(agent.id, action, { conversationId, ...(detail && { detail }) });
      return { ...decision, append: [...(decision.append ?? []), line] };
    });
    if (!summary) throw new DeskRefusal('NOT_FOUND');
    return summary;
  };

  return {
    claim: (agent, id) =>
      change(agent, 'claim', id, (record) => {
        refuseClosed(record);
        if (record.agent === agent.id) return null;
        if (record.agent !== null) throw new DeskRefusal('TAKEN');
        return {
          record: { ...record, state: 'active', agent: agent.id },
          happenings: [{ type: 'claimed', agent: agent.id }],
        };
      }),
    release: (agent, id) =>
      change(agent, 'release', id, (record) => {
        refuseClosed(record);
        if (record.agent === null) return null;
        refuseOthers(record, agent);
        return {
          record: { ...record, state: 'waiting', agent: null },
          happenings: [{ type: 'released', agent: agent.id }],
        };
      }),
    transfer: (agent, id, to) =>
      change(
        agent,
        'transfer',
        id,
        (record) => {
          refuseClosed(record);
          if (record.agent === to) return null;
          return {
            record: { ...record, state: 'active', agent: to },
            happenings: [{ type: 'transferred', agent: agent.id, to }],
          };
        },
        `to ${to}`,
      ),
    note(agent, id, text) {
      checkText(text);
      return change(agent, 'note', id, (record) => ({
        record,
        happenings: [{ type: 'note', agent: agent.id, text }],
      }));
    },
    async read(agent, id, customerMessages) {
      const summary = await records.change(id, (record) => {
        const upTo = Math.min(customerMessages, record.customerMessages);
        if ((record.read[agent.id] ?? 0) >= upTo) return null;
        return {
          record: { ...record, read: { ...record.read, [agent.id]: upTo } },
          happenings: [{ type: 'read', agent: agent.id }],
        };
      });
      if (!summary) throw new DeskRefusal('NOT_FOUND');
      return summary;
    },
    reply(agent, id, messageId, text) {
      checkText(text);
      return change(agent, 'reply', id, async (record) => {
        if (await readOutgoing(shelf, outgoingId(id, messageId))) return null;
        refuseClosed(record);
        if (record.agent !== null) refuseOthers(record, agent);
        const now = Date.now();
        return {
          record: {
            ...record,
            state: 'active',
            agent: agent.id,
            firstReplyAt: record.firstReplyAt ?? now,
            last: lastSaid('agent', text, now),
          },
          happenings: [
            ...(record.agent === null ? [{ type: 'claimed' as const, agent: agent.id }] : []),
            { type: 'message', messageId, from: 'agent', agent: agent.id, text },
          ],
          put: [outgoing(record, { kind: 'message', messageId, agent, text })],
        };
      });
    },
    retry: (agent, id, messageId, isRevived) =>
      change(agent, 'retry', id, async (record) => {
        const found = await readOutgoing(shelf, outgoingId(id, messageId));
        if (found?.outgoing.state !== 'failed') throw new DeskRefusal('NOT_FAILED');
        refuseClosed(record);
        if (record.agent !== null) refuseOthers(record, agent);
        const tries = found.outgoing.tries + (isRevived ? 0 : 1);
        return outgoingDecision(record, found, { state: 'storing', reason: null, code: null, tries });
      }),
    close: (agent, id) =>
      change(agent, 'close', id, (record) => {
        if (record.agent !== null) refuseOthers(record, agent);
        const end = endOf(record, 'agent', agent.id);
        if (!end) return null;
        return {
          ...end,
          put: [outgoing(record, { kind: 'closed', messageId: CLOSED_ID, agent, text: '' })],
        };
      }),
  };
}

function outgoing(
  record: DeskRecord,
  more: Pick<Outgoing, 'kind' | 'messageId' | 'text'> & { readonly agent: AgentView },
) {
  const { agent, ...what } = more;
  const value: Outgoing = {
    ...what,
    deskId: record.id,
    agent: agent.id,
    name: agent.name,
    state: 'storing',
    reason: null,
    tries: 1,
  };
  return putOutgoing(record, value, 0);
}

function refuseClosed({ state }: DeskRecord): void {
  if (state === 'closed') throw new DeskRefusal('CLOSED');
}

function refuseOthers(record: DeskRecord, agent: AgentView): void {
  if (record.agent !== agent.id) throw new DeskRefusal('NOT_YOURS');
}

function checkText(text: string): void {
  if (text.trim() === '') throw new DeskRefusal('EMPTY');
  if (text.length > LONGEST_TEXT) throw new DeskRefusal('TOO_LONG');
}
