import type { ConversationSummary, Priority } from '../../../api.js';
import { closedOf, isListed, isOfMyTeams, type State } from '../state.js';

/** The conversations of each view, as ids in their order. */
export interface InboxGroups {
  readonly mine: readonly string[];
  readonly snoozed: readonly string[];
  readonly waiting: readonly string[];
  /** Those of other agents. */
  readonly active: readonly string[];
  readonly closed: readonly string[];
  /** The open ones for a team of the agent. */
  readonly teams: readonly string[];
  /** Those with notes that mention the agent, whatever their state. */
  readonly mentions: readonly string[];
}

const URGENCY: Readonly<Record<Priority, number>> = { urgent: 0, high: 1, normal: 2, low: 3 };

const idOf = ({ id }: ConversationSummary): string => id;

/**
 * Sorts conversations into groups. Active ones: the newest first. Waiting ones: those that can still be answered in time,
 * by priority and then by deadline; then those whose time is up, since the platform ends them anyway. Closed ones are
 * unfiltered, as in the server's list: an item that the filter hides renders nothing.
 */
export function groupsOf(state: State, now: number): InboxGroups {
  const { me, conversations } = state;
  const mine: ConversationSummary[] = [];
  const snoozed: ConversationSummary[] = [];
  const waiting: ConversationSummary[] = [];
  const active: ConversationSummary[] = [];
  const teams: ConversationSummary[] = [];
  const mentions: ConversationSummary[] = [];
  for (const each of conversations.values()) {
    if (!isListed(state, each)) continue;
    if (each.mentions[me.id]) mentions.push(each);
    if (each.state === 'closed') continue;
    if (isOfMyTeams(state, each)) teams.push(each);
    if (each.state === 'waiting') waiting.push(each);
    else if ((each.snoozedUntil ?? 0) > now) snoozed.push(each);
    else (each.agent === me.id ? mine : active).push(each);
  }
  const at = ({ last, requestedAt }: ConversationSummary): number => last?.at ?? requestedAt;
  const byUrgency = (a: ConversationSummary, b: ConversationSummary): number =>
    URGENCY[a.priority] - URGENCY[b.priority];
  const byNews = (a: ConversationSummary, b: ConversationSummary): number => byUrgency(a, b) || at(b) - at(a);
  const isLost = ({ firstReplyAt, replyBy }: ConversationSummary): number =>
    firstReplyAt === null && replyBy !== null && replyBy <= now ? 1 : 0;
  const byDeadline = (a: ConversationSummary, b: ConversationSummary): number =>
    isLost(a) - isLost(b) || byUrgency(a, b) || a.requestedAt - b.requestedAt;
  return {
    mine: mine.sort(byNews).map(idOf),
    snoozed: snoozed.sort((a, b) => (a.snoozedUntil ?? 0) - (b.snoozedUntil ?? 0)).map(idOf),
    waiting: waiting.sort(byDeadline).map(idOf),
    active: active.sort(byNews).map(idOf),
    closed: closedOf(state).map(idOf),
    // Unassigned ones first, then those of agents.
    teams: teams
      .sort((a, b) => (a.agent === null ? 0 : 1) - (b.agent === null ? 0 : 1) || byDeadline(a, b))
      .map(idOf),
    mentions: mentions.sort((a, b) => at(b) - at(a)).map(idOf),
  };
}

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, index) => id === b[index]);

/** Whether two sets of groups list the same in the same order. */
export const isSameGroups = (a: InboxGroups, b: InboxGroups): boolean =>
  isSameList(a.mine, b.mine) &&
  isSameList(a.snoozed, b.snoozed) &&
  isSameList(a.waiting, b.waiting) &&
  isSameList(a.active, b.active) &&
  isSameList(a.closed, b.closed) &&
  isSameList(a.teams, b.teams) &&
  isSameList(a.mentions, b.mentions);
