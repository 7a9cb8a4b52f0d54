import type { ConversationSummary, Priority } from '../../../api.js';
import { closedOf, isListed, isOfMyTeams, type State, unreadOf } from '../state.js';

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

const at = ({ last, requestedAt }: ConversationSummary): number => last?.at ?? requestedAt;

const byUrgency = (a: ConversationSummary, b: ConversationSummary): number =>
  URGENCY[a.priority] - URGENCY[b.priority];

const byNews = (a: ConversationSummary, b: ConversationSummary): number => byUrgency(a, b) || at(b) - at(a);

/** The order of conversations that wait. */
function deadlineOrder(now: number): (a: ConversationSummary, b: ConversationSummary) => number {
  const isLost = ({ firstReplyAt, replyBy }: ConversationSummary): number =>
    firstReplyAt === null && replyBy !== null && replyBy <= now ? 1 : 0;
  return (a, b) => isLost(a) - isLost(b) || byUrgency(a, b) || a.requestedAt - b.requestedAt;
}

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
  const byDeadline = deadlineOrder(now);
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

/** What the agent can do next. */
export interface NextUp {
  /** How many listed conversations wait for an agent. */
  readonly waiting: number;
  /** The one that has waited longest. */
  readonly longest: ConversationSummary | null;
  /** The one to open: an own one that is new or has unread messages, or else the first that waits. */
  readonly next: string | null;
}

export function nextUpOf(state: State, now: number): NextUp {
  const { me, conversations } = state;
  const byDeadline = deadlineOrder(now);
  let waiting = 0;
  let longest: ConversationSummary | null = null;
  let first: ConversationSummary | null = null;
  let own: ConversationSummary | null = null;
  for (const each of conversations.values()) {
    if (!isListed(state, each)) continue;
    if (each.state === 'waiting') {
      waiting += 1;
      if (!longest || each.requestedAt < longest.requestedAt) longest = each;
      if (!first || byDeadline(each, first) < 0) first = each;
    } else if (each.state === 'active' && each.agent === me.id && unreadOf(each, me.id) > 0) {
      if (!own || byNews(each, own) < 0) own = each;
    }
  }
  return { waiting, longest, next: (own ?? first)?.id ?? null };
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
