/**
 * The Slack adapter: a thread of a channel is the conversation.
 *
 * @module
 */
export type { SlackSettings } from './settings.js';
export { slack } from './slack.js';
