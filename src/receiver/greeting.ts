import type { DeliveredEvent, Dispatcher, Replies } from '../events/index.js';
import { transcriptOf, userOf } from '../events/index.js';
import { createRecentKeys, HandoffKitError } from '../internal/index.js';
import type { ReceiverOptions } from './options.js';

/** Sends the first reply of a handoff. Rejects only when it could not be stored; other failures are reported. */
export type Greet = (event: DeliveredEvent<'handoff.requested'>) => Promise<void>;

/** Creates the function that greets; `null` without a greeting. */
export function createGreet(
  greeting: ReceiverOptions['greeting'],
  replies: Replies,
  dispatcher: Dispatcher,
): Greet | null {
  if (greeting === undefined) return null;
  // A repeat that arrives while the handlers of the first still run is not yet recognised as a duplicate.
  const greeted = createRecentKeys({ maxKeys: 10_000, maxAgeMs: 600_000 });
  return async (event) => {
    const { name, bot, key, body, conversationId, requestId } = event;
    if (greeted.has(key)) return;
    greeted.add(key);
    try {
      const text =
        typeof greeting === 'string'
          ? greeting
          : await greeting({
              payload: body,
              bot,
              conversationId,
              user: userOf(event),
              transcript: transcriptOf(body),
            });
      if (text !== null) await replies.reply(conversationId, text, { once: `greeting ${key}` });
    } catch (error) {
      greeted.delete(key);
      if (error instanceof HandoffKitError && error.code === 'NOT_STORED') throw error;
      dispatcher.report(error, { event: name, bot, conversationId, requestId });
    }
  };
}
