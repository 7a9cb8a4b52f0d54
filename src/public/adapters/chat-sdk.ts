/**
 * The adapter for chat platforms of the Vercel Chat SDK: Microsoft Teams, Google Chat, Discord, Telegram, WhatsApp.
 *
 * @module
 */
export * from '../../adapters/chat-sdk/index.js';
