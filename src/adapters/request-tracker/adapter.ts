import { type Adapter, defineAdapter } from '../../bridge/index.js';
import { createCheck } from './check.js';
import { createClosing } from './close.js';
import { createOpening } from './open.js';
import { createPeople } from './people.js';
import { createPolling } from './poll.js';
import { createRest } from './rest.js';
import { createSending } from './send.js';
import { type RequestTrackerSettings, settle } from './settings.js';
import { parse, verify } from './webhook.js';

/** RT stores megabytes; nobody reads them. */
const LONGEST_TEXT = 50_000;

/**
 * Carries conversations into Request Tracker 5: each is a ticket, what the user says is correspondence, and
 * what agents reply comes back by a Scrip, with polling as the net below it.
 *
 * @example
 * const adapter = requestTracker({ url: 'https://rt.example.com', token, queue: 'Handoffs', webhookSecret });
 */
export function requestTracker(settings: RequestTrackerSettings): Adapter {
  const settled = settle(settings);
  const rest = createRest(settled);
  return defineAdapter({
    name: 'request-tracker',
    capabilities: {
      inbound: settled.secrets.length > 0 ? ['webhook', 'poll'] : ['poll'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: LONGEST_TEXT,
      pollEveryMs: settled.pollEveryMs,
    },
    ...createOpening(rest, settled),
    send: createSending(rest, settled),
    close: createClosing(rest, settled),
    verify: (request) => verify(request, settled),
    parse: (request) => parse(request, settled),
    poll: createPolling(rest, createPeople(rest), settled),
    check: createCheck(rest, settled),
  });
}
