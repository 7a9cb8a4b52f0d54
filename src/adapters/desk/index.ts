/**
 * The desk: a human-service system that is already there. Human agents answer handed-over conversations in the
 * browser.
 *
 * @module
 */
export type { Agents } from './agents/agents.js';
export type { AgentView } from './api.js';
export { createDesk, type Desk, type DeskOptions } from './create-desk.js';
export type { HostSession } from './http/who.js';
