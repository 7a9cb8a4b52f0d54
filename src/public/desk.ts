/**
 * The desk: a built-in helpdesk where agents answer handed-over conversations in the browser.
 *
 * @module
 */
export * from '../desk/index.js';
