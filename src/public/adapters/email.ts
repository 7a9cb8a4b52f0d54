/**
 * The adapter for e-mail: a handed-over conversation is a thread of mails to a team, whose members answer with their
 * mail programs.
 *
 * @module
 */
export * from '../../adapters/email/index.js';
