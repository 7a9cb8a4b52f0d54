import { setTimeout as sleep } from 'node:timers/promises';
import { AdapterError, defineAdapter } from '../dist/public/adapter.js';

/** The duration of each call to the desk. */
export const LATENCY_MS = 200;

/** One call in 50 fails before it takes effect; one in 100 takes effect, and its answer is lost. */
const FAILS_EVERY = 50;
const ANSWER_LOST_EVERY = 100;

/**
 * A slow, unreliable desk in memory. Like most systems, it recognises repeats by their idempotency keys.
 *
 * @param {(conversationId: string, text: string) => void} onMessage called once per message
 */
export function createDesk(onMessage) {
  /** @type {Map<string, { externalId: string, closed: boolean }>} */
  const tickets = new Map();
  /** @type {Set<string>} */
  const seenKeys = new Set();
  let calls = 0;
  let failures = 0;

  const failure = () => {
    failures += 1;
    return new AdapterError('transient', 'the desk failed.');
  };

  /**
   * @template Result
   * @param {() => Result} apply
   */
  const simulateCall = async (apply) => {
    calls += 1;
    const nth = calls;
    await sleep(LATENCY_MS);
    if (nth % FAILS_EVERY === 0) throw failure();
    const result = apply();
    if (nth % ANSWER_LOST_EVERY === 1) throw failure();
    return result;
  };

  const adapter = defineAdapter({
    name: 'bench-desk',
    capabilities: { inbound: ['webhook'], nativeClose: true, messageIds: true, maxTextLength: 10_000 },
    open: ({ key, conversationId }) =>
      simulateCall(() => {
        const ticket = { externalId: `ticket-${conversationId}`, closed: false };
        tickets.set(key, ticket);
        return { externalId: ticket.externalId };
      }),
    find: ({ key }) => simulateCall(() => tickets.get(key) ?? null),
    send: ({ conversationId }, { key, text }) =>
      simulateCall(() => {
        if (!seenKeys.has(key)) onMessage(conversationId, text);
        seenKeys.add(key);
        return { messageId: key };
      }),
    close: () => simulateCall(() => undefined),
    verify: () => 'genuine',
    parse: ({ body }) => ({ events: JSON.parse(body.toString()) }),
    check: async () => [],
  });

  return {
    adapter,
    /** Clears the desk between rounds: its memory would count as the bridge's. */
    clear() {
      tickets.clear();
      seenKeys.clear();
    },
    get failures() {
      return failures;
    },
  };
}
