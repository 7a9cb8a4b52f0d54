/**
 * The LiveChat adapter: a handed-over conversation is a chat of a customer.
 *
 * @module
 */
export * from '../../adapters/livechat/index.js';
