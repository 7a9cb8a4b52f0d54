/**
 * The Zendesk adapter: a handed-over conversation is a messaging conversation in the Agent Workspace, through the
 * Conversations API (Sunshine Conversations).
 *
 * @module
 */
export * from '../../adapters/zendesk/index.js';
