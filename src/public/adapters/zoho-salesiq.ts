/**
 * The Zoho SalesIQ adapter: a handed-over conversation is a chat of a visitor, in a department.
 *
 * @module
 */
export * from '../../adapters/zoho-salesiq/index.js';
