import type { AssignmentRules, Priority } from '../../api.js';
import type { Agents } from '../agents/agents.js';
import {
  type ConversationRecord,
  type FindTarget,
  NO_TARGET,
} from '../conversations/conversation-records.js';
import type { Rules, Teams } from '../settings.js';

/**
 * A department from the application's `route` comes first: the name or id of a team, or
 * the id of an agent. Then the rules for bots apply, by name in the receiver or `bot_id`.
 */
export function createFindTarget(parts: {
  readonly agents: Agents;
  readonly teams: Teams;
  readonly rules: Rules;
}): FindTarget {
  const { agents, teams, rules } = parts;
  return async ({ bot, botId, route }) => {
    const department = route?.department;
    if (department !== undefined) {
      const named = (await teams.list()).teams.find(
        ({ id, name }) => id === department || name.toLowerCase() === department.toLowerCase(),
      );
      if (named) return { team: named.id, preferredAgent: null };
      if (await agents.get(department)) return { team: null, preferredAgent: department };
    }
    const { bots } = await rules.read();
    const rule = bots.find((each) => each.bot === bot || each.bot === botId);
    if (!rule) return NO_TARGET;
    return rule.to.kind === 'team'
      ? { team: rule.to.id, preferredAgent: null }
      : { team: null, preferredAgent: rule.to.id };
  };
}

/** The number of the last assignment to each agent. */
export type Turns = Readonly<Record<string, number>>;

/** The input to choosing an agent; the version tells whether it is current. */
export interface AssignmentSituation {
  readonly version: number;
  readonly turns: Turns;
  /** The number of open conversations by agent. */
  readonly active: ReadonlyMap<string, number>;
}

/** The agents of the desk. */
export interface Staff {
  readonly known: ReadonlySet<string>;
  /** Those who can be assigned conversations now. */
  readonly available: readonly string[];
  /** The members of each team, by its id. */
  readonly teams: ReadonlyMap<string, readonly string[]>;
}

/** Chooses the agent for a conversation by the rules; `undefined` when it has to wait. */
export function chooseAgent(
  record: ConversationRecord,
  staff: Staff,
  { method, capacity }: AssignmentRules,
  { active, turns }: AssignmentSituation,
): string | undefined {
  const busy = (id: string): number => active.get(id) ?? 0;
  const byTurn = (a: string, b: string): number => (turns[a] ?? 0) - (turns[b] ?? 0) || (a < b ? -1 : 1);
  return candidatesOf(record, staff)
    .filter((id) => capacity === null || busy(id) < capacity)
    .sort((a, b) => (method === 'leastBusy' ? busy(a) - busy(b) : 0) || byTurn(a, b))[0];
}

/** If the preferred agent declined, or that agent or the team was removed, anyone else qualifies. */
function candidatesOf(
  { team, preferredAgent, declined }: ConversationRecord,
  { known, available, teams }: Staff,
): readonly string[] {
  const willing = available.filter((id) => !declined.includes(id));
  const isWanted = preferredAgent !== null && known.has(preferredAgent) && !declined.includes(preferredAgent);
  if (isWanted) return willing.filter((id) => id === preferredAgent);
  const members = team === null ? undefined : teams.get(team);
  return members ? willing.filter((id) => members.includes(id)) : willing;
}

const URGENCY: Readonly<Record<Priority, number>> = { urgent: 0, high: 1, normal: 2, low: 3 };

/** Sorts conversations that can still be answered in time first, then by priority, the oldest first. */
export function byUrgency(a: ConversationRecord, b: ConversationRecord): number {
  const now = Date.now();
  const isLost = ({ firstReplyAt, replyBy }: ConversationRecord): number =>
    firstReplyAt === null && replyBy !== null && replyBy <= now ? 1 : 0;
  return isLost(a) - isLost(b) || URGENCY[a.priority] - URGENCY[b.priority] || a.requestedAt - b.requestedAt;
}
