import { AsyncResource } from 'node:async_hooks';
import type { Log } from '../../../internal/index.js';
import type { AssignmentRules } from '../../api.js';
import type { Agents } from '../agents/agents.js';
import { changedFields, createAudit } from '../audit.js';
import {
  type ConversationRecord,
  type ConversationRecords,
  recordOf,
} from '../conversations/conversation-records.js';
import type { Rules, Teams } from '../settings.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';
import type { Availability } from './availability.js';
import { type AssignmentSituation, byUrgency, chooseAgent, type Staff, type Turns } from './routing.js';

/**
 * Assigns waiting conversations to available agents, by the rules:
 *
 *     waiting ── assign ──> offered ── the agent replies ──> accepted, as if claimed
 *        ▲                     │
 *        └── agent away, offline or removed
 *
 * Every process runs it. An assignment also writes the document of turns, whose version makes assignments of all
 * processes follow one another, so that none of them uses stale counts.
 */
export interface Assigner {
  start(): void;
  /** Schedules a scan, because something has changed. */
  kick(): void;
  /** Resolves when the current scan has ended. */
  stop(): Promise<void>;
}

export interface AssignerParts {
  readonly store: DocumentStore;
  readonly records: ConversationRecords;
  readonly agents: Agents;
  readonly teams: Teams;
  readonly rules: Rules;
  readonly availability: Availability;
  readonly log: Log;
}

/** Also scans this often, for changes by processes that ended. */
const SCAN_MS = 5_000;
/** More conversations than a desk has open at a time. */
const MAX_OPEN = 10_000;
const AUDITED = ['state', 'agent'] as const;
const TURNS = { kind: DOCUMENT_KIND.settings, id: 'assignment-turns' } as const;

/** An assignment that its agent has not accepted yet, by {@link ConversationRecord.offer}. */
interface StoredOffer {
  readonly conversation: string;
  readonly agent: string;
}

export function createAssigner(parts: AssignerParts): Assigner {
  const { store, records, agents, teams, rules, availability, log } = parts;
  const audit = createAudit(store);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isAgain = false;

  const readTurns = async (): Promise<{ readonly version: number; readonly turns: Turns }> => {
    const document = await store.get(TURNS.kind, TURNS.id);
    return { version: document?.version ?? 0, turns: (document?.value ?? {}) as Turns };
  };
  /** The turns are read first, so the counts are at least as new. */
  const readSituation = async (): Promise<AssignmentSituation> => {
    const turns = await readTurns();
    const documents = await store.list(DOCUMENT_KIND.conversation, { group: 'active', limit: MAX_OPEN });
    const active = new Map<string, number>();
    for (const { agent } of documents.map(recordOf))
      if (agent !== null) active.set(agent, (active.get(agent) ?? 0) + 1);
    return { ...turns, active };
  };

  /** Withdraws offers whose agent has left, and removes those that were accepted. */
  const reviewOffers = async (available: ReadonlySet<string>): Promise<void> => {
    const kind = DOCUMENT_KIND.offer;
    for (const { id, value } of await store.list(kind, { limit: MAX_OPEN })) {
      const { conversation, agent } = value as StoredOffer;
      const isOpen = ({ offer, state, agent: holder }: ConversationRecord): boolean =>
        offer === id && state === 'active' && holder === agent;
      const found = await records.get(conversation);
      if (found && isOpen(found.record)) {
        if (available.has(agent)) continue;
        await records.change(conversation, (record) => {
          if (!isOpen(record)) return null;
          const next: ConversationRecord = {
            ...record,
            state: 'waiting',
            agent: null,
            offer: null,
            snoozedUntil: null,
          };
          const { conversationId } = record;
          const changed = changedFields(record, next, AUDITED);
          return {
            record: next,
            events: [{ type: 'unassigned', agent }],
            append: [
              audit.line(null, 'assignment taken back', {
                conversationId,
                detail: 'not available',
                ...changed,
              }),
            ],
          };
        });
      }
      // Offers have their own ids, so this cannot remove a later one for the same conversation.
      await store.write({ remove: [{ kind, id }] });
    }
  };

  const assignWaiting = async (present: ReadonlySet<string>, current: AssignmentRules): Promise<void> => {
    const waiting = (await store.list(DOCUMENT_KIND.conversation, { group: 'waiting', limit: MAX_OPEN })).map(
      recordOf,
    );
    if (waiting.length === 0) return;
    const known = new Set((await agents.list()).map(({ id }) => id));
    const staff: Staff = {
      known,
      available: [...present].filter((id) => known.has(id)),
      teams: new Map((await teams.list()).teams.map(({ id, members }) => [id, members])),
    };
    let situation = await readSituation();

    const assign = async (id: string): Promise<void> => {
      let next: AssignmentSituation | null = null;
      await records.change(id, async (record) => {
        next = null;
        if (record.state !== 'waiting') return null;
        // Another process has made an assignment.
        if ((await readTurns()).version !== situation.version) situation = await readSituation();
        const agent = chooseAgent(record, staff, current, situation);
        if (agent === undefined) return null;
        const { version, active } = situation;
        const turn = Math.max(0, ...Object.values(situation.turns)) + 1;
        const kept = Object.entries(situation.turns).filter(([each]) => known.has(each));
        const turns: Turns = { ...Object.fromEntries(kept), [agent]: turn };
        const count = (active.get(agent) ?? 0) + 1;
        next = { version: version + 1, turns, active: new Map(active).set(agent, count) };
        const offer = `${id} ${version + 1}`;
        const assigned: ConversationRecord = { ...record, state: 'active', agent, offer };
        const { conversationId } = record;
        const line = audit.line(null, 'assigned', {
          conversationId,
          detail: current.method === 'leastBusy' ? 'least busy' : 'round robin',
          ...changedFields(record, assigned, AUDITED),
        });
        return {
          record: assigned,
          events: [{ type: 'assigned', agent }],
          put: [
            { ...TURNS, value: turns, version },
            {
              kind: DOCUMENT_KIND.offer,
              id: offer,
              value: { conversation: id, agent } satisfies StoredOffer,
              version: 0,
              conversationId,
            },
          ],
          append: [line],
        };
      });
      situation = next ?? situation;
    };

    for (const record of waiting.sort(byUrgency)) {
      if (chooseAgent(record, staff, current, situation) !== undefined) await assign(record.id);
    }
  };

  const scan = async (): Promise<void> => {
    const agentsHere = await availability.read();
    const present = new Set(agentsHere.flatMap(({ agent, isAway }) => (isAway ? [] : [agent])));
    await reviewOffers(present);
    const current = await rules.read();
    if (current.method !== 'manual' && present.size > 0) await assignWaiting(present, current);
  };

  const run = async (): Promise<void> => {
    do {
      isAgain = false;
      await scan().catch((err: unknown) =>
        log.warn({ err }, 'the desk could not assign conversations; it tries again in some seconds'),
      );
    } while (isAgain && timer);
    running = null;
  };
  // Detached from the request that caused it: audit lines must not have its client's address.
  const runApart = AsyncResource.bind(run);

  const kick = (): void => {
    isAgain = true;
    if (timer) running ??= runApart();
  };

  return {
    kick,
    start() {
      clearInterval(timer);
      timer = setInterval(kick, SCAN_MS).unref();
      kick();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await running;
    },
  };
}
