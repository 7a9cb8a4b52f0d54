import { setTimeout as sleep } from 'node:timers/promises';
import { AdapterError, defineAdapter } from '../dist/adapter.js';

/** How long the desk takes for each call. */
export const LATENCY_MS = 200;

/** One call in so many fails before it has any effect, and one after it had its effect. */
const FAILS_EVERY = 50;
const ANSWER_LOST_EVERY = 100;

/**
 * A desk in memory that is slow and stumbles. Like most systems it tells repeats by their keys.
 *
 * @param {(conversationId: string, text: string) => void} onMessage hears of each message once
 */
export function createDesk(onMessage) {
  /** @type {Map<string, { externalId: string, closed: boolean }>} */
  const tickets = new Map();
  /** @type {Set<string>} */
  const seen = new Set();
  let calls = 0;
  let failures = 0;

  const away = () => {
    failures += 1;
    return new AdapterError('transient', 'the desk stumbles.');
  };

  /**
   * @template Result
   * @param {() => Result} apply
   */
  const called = async (apply) => {
    calls += 1;
    const nth = calls;
    await sleep(LATENCY_MS);
    if (nth % FAILS_EVERY === 0) throw away();
    const result = apply();
    if (nth % ANSWER_LOST_EVERY === 1) throw away();
    return result;
  };

  const adapter = defineAdapter({
    name: 'bench-desk',
    capabilities: { inbound: ['webhook'], nativeClose: true, messageIds: true, maxTextLength: 10_000 },
    open: ({ key, conversationId }) =>
      called(() => {
        const ticket = { externalId: `ticket-${conversationId}`, closed: false };
        tickets.set(key, ticket);
        return { externalId: ticket.externalId };
      }),
    find: ({ key }) => called(() => tickets.get(key) ?? null),
    send: ({ conversationId }, { key, text }) =>
      called(() => {
        if (!seen.has(key)) onMessage(conversationId, text);
        seen.add(key);
        return { messageId: key };
      }),
    close: () => called(() => undefined),
    verify: () => 'genuine',
    parse: ({ body }) => ({ events: JSON.parse(body.toString()) }),
    check: async () => [],
  });

  return {
    adapter,
    /** Forgets what was said: it would count as memory of the bridge. */
    forget() {
      tickets.clear();
      seen.clear();
    },
    get failures() {
      return failures;
    },
  };
}
