/**
 * The Lark (Feishu) adapter: a handed-over conversation is a thread of a group chat.
 *
 * @module
 */
export * from '../../adapters/lark/index.js';
