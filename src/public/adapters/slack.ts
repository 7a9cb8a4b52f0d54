/**
 * The Slack adapter: a handed-over conversation is a thread of a channel.
 *
 * @module
 */
export * from '../../adapters/slack/index.js';
