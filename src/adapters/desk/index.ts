/**
 * The desk: a human-service system that is already there. Human agents answer handed-over conversations in the
 * browser.
 *
 * @module
 */
export { type Agents, createAgents } from './agents/agents.js';
export type { AgentView } from './api.js';
export { type AuditEntry, readAudit } from './book/audit.js';
export { createDesk, type Desk, type DeskOptions } from './create-desk.js';
export type { HostSession } from './http/who.js';
