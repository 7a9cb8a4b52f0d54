/**
 * The adapter for Request Tracker 5: a handed-over conversation is a ticket.
 *
 * @module
 */
import { type Adapter, defineAdapter } from '../../bridge/index.js';
import { createCheck } from './check.js';
import { createClose, createUndelivered } from './close.js';
import { createOpening } from './open.js';
import { createReading } from './poll.js';
import { createRestClient } from './rest.js';
import { createSend } from './send.js';
import { checkSettings, type RequestTrackerSettings } from './settings.js';
import { parse, verify } from './webhook.js';

export { type RequestTrackerScrip, requestTrackerScrip, type ScripOptions } from './scrip.js';
export type { RequestTrackerSettings } from './settings.js';

/** RT stores megabytes; agents do not read them. */
const MAX_TEXT = 50_000;

/**
 * Creates the adapter for Request Tracker 5. Users' messages become correspondence of the ticket. Agents' replies come
 * back by a Scrip at once, and by polling when the Scrip could not deliver them.
 *
 * @example
 * const adapter = requestTracker({ url: 'https://rt.example.com', token, queue: 'Handoffs', webhookSecret });
 */
export function requestTracker(settings: RequestTrackerSettings): Adapter {
  const checked = checkSettings(settings);
  const rest = createRestClient(checked);
  return defineAdapter({
    name: 'request-tracker',
    capabilities: {
      inbound: checked.secrets.length > 0 ? ['webhook', 'poll'] : ['poll'],
      nativeClose: true,
      messageIds: true,
      maxTextLength: MAX_TEXT,
      pollEveryMs: checked.pollEveryMs,
    },
    ...createOpening(rest, checked),
    send: createSend(rest, checked),
    close: createClose(rest, checked),
    verify: (request) => verify(request, checked),
    parse: (request) => parse(request, checked),
    ...createReading(rest, checked),
    undelivered: createUndelivered(rest),
    check: createCheck(rest, checked),
  });
}
