/**
 * A second entry to the desk, for commands that manage agents or read the audit log. It does not load the web server.
 *
 * @module
 */
export { createAgents } from '../agents/agents.js';
export { type AgentRole, ROLES } from '../agents/roles.js';
export { readAudit } from '../audit.js';
export { type DocumentStore, openDocumentStore } from '../store/index.js';
