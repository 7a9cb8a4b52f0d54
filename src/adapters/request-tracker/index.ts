/**
 * Request Tracker 5: a handed-over conversation is a ticket.
 *
 * @module
 */
export { requestTracker } from './adapter.js';
export { type RequestTrackerScrip, requestTrackerScrip, type ScripOptions } from './scrip.js';
export type { RequestTrackerSettings } from './settings.js';
