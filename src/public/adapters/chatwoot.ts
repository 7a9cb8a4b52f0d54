/**
 * The Chatwoot adapter: a handed-over conversation is a conversation of an API inbox. It needs the inbox identifier
 * and the webhook secret, and no access token of an agent.
 *
 * @module
 */
export * from '../../adapters/chatwoot/index.js';
