import type { Command } from 'commander';
import { registerAddAgent } from '../desk/add-agent.js';
import { registerAudit } from '../desk/audit.js';
import { registerListAgents } from '../desk/list-agents.js';
import { registerRemoveAgent } from '../desk/remove-agent.js';

/** `desk`: who may work at the desk, and what was done there. */
export function define(desk: Command): void {
  desk.description('Looks after the desk: the agents who may log in, and the log of what they did.');
  registerAddAgent(desk);
  registerListAgents(desk);
  registerRemoveAgent(desk);
  registerAudit(desk);
}
