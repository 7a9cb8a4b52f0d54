import { z } from 'zod';
import type { User } from '../events/index.js';
import type { Conversation } from '../handoff/index.js';
import { type Log, settlesWithin } from '../internal/index.js';
import type { HandoffRoute, HandoffSession } from './adapter/adapter-types.js';

/** The argument of a {@link RouteHandoff} function. */
export interface RouteContext {
  /** The handed-over conversation, with its transcript and the platform's agent. */
  readonly conversation: Conversation;
  readonly user: User;
}

/**
 * Decides where a handoff goes in the helpdesk. `null` leaves it to the helpdesk.
 *
 * @example
 * const route: RouteHandoff = async ({ user }) => {
 *   const customer = await customers.find(user.userId);
 *   return customer.isPremium ? { priority: 'high', tags: ['premium'] } : null;
 * };
 */
export type RouteHandoff = (context: RouteContext) => HandoffRoute | null | Promise<HandoffRoute | null>;

const routeSchema = z.strictObject({
  tags: z.array(z.string().trim().min(1).max(100)).max(20).optional(),
  priority: z.enum(['low', 'normal', 'high', 'urgent']).optional(),
  department: z.string().trim().min(1).max(200).optional(),
});

/** Asks the application for the route of a conversation. */
export type FindRoute = (conversation: Conversation) => Promise<HandoffRoute | null>;

/** Creates a {@link FindRoute}. A function that fails, or takes too long, is logged: the handoff goes on without it. */
export function createFindRoute(route: RouteHandoff | null, withinMs: number, log: Log): FindRoute {
  return async (conversation) => {
    if (!route) return null;
    const conversationId = conversation.id;
    try {
      const asked = Promise.resolve(route({ conversation, user: conversation.user }));
      const settled = asked.then(
        () => undefined,
        () => undefined,
      );
      if (!(await settlesWithin(settled, withinMs))) {
        log.error(
          { conversationId },
          `route had no result after ${withinMs} ms; the handoff goes on without`,
        );
        return null;
      }
      const found = await asked;
      return found === null ? null : readRoute(found);
    } catch (error) {
      log.error({ conversationId, err: error }, 'route failed; the handoff goes on without');
      return null;
    }
  };
}

function readRoute(value: HandoffRoute): HandoffRoute {
  const { data, error } = routeSchema.safeParse(value);
  if (!data) throw new TypeError(`the result of route is not a HandoffRoute: ${z.prettifyError(error)}`);
  const { tags, priority, department } = data;
  return {
    ...(tags && { tags: [...new Set(tags)] }),
    ...(priority && { priority }),
    ...(department && { department }),
  };
}

/** The route of a session as lines for agents. */
export function routeFacts({ route }: Pick<HandoffSession, 'route'>): readonly (readonly [string, string])[] {
  const { tags = [], priority = '', department = '' } = route ?? {};
  const facts = [
    ['Department', department],
    ['Priority', priority],
    ['Tags', tags.join(', ')],
  ] as const;
  return facts.filter(([, value]) => value !== '');
}
