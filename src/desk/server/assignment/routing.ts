import type { HandoffSession } from '../../../bridge/index.js';
import type { Agents } from '../agents/agents.js';
import type { Teams } from '../agents/teams.js';
import type { Rules } from './rules.js';

/** Where a new conversation goes: to a team, to one agent, or to everyone. */
export interface ConversationTarget {
  readonly team: string | null;
  readonly preferredAgent: string | null;
}

/** Finds the target of a new conversation. */
export type FindTarget = (session: HandoffSession) => Promise<ConversationTarget>;

/** For everyone. */
export const NO_TARGET: ConversationTarget = { team: null, preferredAgent: null };

/**
 * Creates a {@link FindTarget}. The department that the application's function `route` gives comes first: the name or id
 * of a team, or the id of an agent. Then the rules for the platform's agents, by name in the receiver or `bot_id`.
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
