/**
 * A side door: who may work at the desk, and what was done there, as the shelf keeps it. The desk itself is a web
 * server, which whoever only looks after its records does not load.
 *
 * @module
 */
export { createAgents } from '../agents/agents.js';
export { readAudit } from '../book/audit.js';
