/**
 * The Intercom adapter: a handed-over conversation is a conversation of a contact, in the inbox of the workspace.
 *
 * @module
 */
export * from '../../adapters/intercom/index.js';
