/**
 * The desk: a built-in helpdesk where agents answer handed-over conversations in the browser.
 *
 * @module
 */
export { type AgentCredentials, type Agents, createAgents } from './agents/agents.js';
export type { AgentRole, Permission } from './agents/roles.js';
export type { AgentInput } from './agents/stored-agent.js';
export type { AgentView } from './api.js';
export { type AuditEntry, type AuditLine, readAudit } from './audit.js';
export { createDesk, type Desk, type DeskOptions } from './create-desk.js';
export type { HostSession } from './http/current-agent.js';
export type { OpenIdOptions } from './http/openid.js';
export type * from './store/document-store.js';
