/**
 * The desk: a built-in helpdesk where agents answer handed-over conversations in the browser.
 *
 * @module
 */

export type { AgentView } from './api.js';
export { type AgentCredentials, type Agents, createAgents } from './server/agents/agents.js';
export type { AgentRole, Permission } from './server/agents/roles.js';
export type { AgentInput } from './server/agents/stored-agent.js';
export type { AssistOptions } from './server/assist/assist.js';
export { type AuditEntry, type AuditLine, readAudit } from './server/audit.js';
export { createDesk, type Desk, type DeskOptions } from './server/create-desk.js';
export type { HostSession } from './server/http/current-agent.js';
export type { OpenIdOptions } from './server/http/openid.js';
export type { EscalationOptions } from './server/notify/escalation.js';
export type {
  EscalationEmail,
  EscalationNotice,
  EscalationTargets,
} from './server/notify/escalation-channels.js';
export type { WebPushOptions } from './server/notify/web-push.js';
export type * from './server/store/document-store.js';
