import { expect, it } from 'vitest';
import { createHandlerRuns } from '../../src/delivery/handler-run.js';
import { createHandling } from '../../src/delivery/handling.js';
import { storeEvent } from '../../src/delivery/stored-event.js';
import { deferred } from '../helpers/deferred.js';
import { requestEvent } from '../helpers/events.js';
import { logLines } from '../helpers/log-lines.js';

it('a greeting that never comes does not hold up the handoff', async () => {
  const { log, about } = logLines();
  const event = requestEvent('c');
  const handled: string[] = [];
  const attempt = createHandling({
    host: {
      handle: async ({ conversationId }) => void handled.push(conversationId),
      greet: () => deferred().promise,
      report: () => {},
      log,
    },
    runs: createHandlerRuns(60_000),
    backoff: { minDelayMs: 1, maxDelayMs: 1 },
    maxAttempts: 1,
    greetWithinMs: 5,
  });
  const { key, conversationId } = event;
  const work = { id: key, key, conversationId, attempts: 1, interrupted: false, createdAt: 1 };
  const ending = await new Promise((resolve) => attempt({ ...work, content: storeEvent(event) }, resolve));
  expect(ending).toEqual({ state: 'done' });
  expect(handled).toEqual(['c']);
  expect(about('the greeting takes long')).toMatchObject([{ conversationId: 'c' }]);
});
