/**
 * A second entry to the desk, for commands that manage agents or read the audit log. It does not load the web server.
 *
 * @module
 */
export { createAgents } from './server/agents/agents.js';
export { type AgentRole, ROLES } from './server/agents/roles.js';
export { readAudit } from './server/audit.js';
export { type DocumentStore, openDocumentStore } from './server/store/index.js';
