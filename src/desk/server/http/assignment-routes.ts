import { z } from 'zod';
import type { Availability } from '../assignment/availability.js';
import type { Rules } from '../settings.js';
import type { AgentRoutes } from './agent-routes.js';
import { readBody } from './validate.js';

const id = z.string().trim().min(1).max(200);

const availabilityRequest = z.object({ isAway: z.boolean() });

const assignmentSettings = z.object({
  method: z.enum(['manual', 'roundRobin', 'leastBusy']),
  capacity: z.int().min(1).max(1_000).nullable(),
  bots: z.array(z.object({ bot: id, to: z.object({ kind: z.enum(['team', 'agent']), id }) })).max(200),
  version: z.int().min(0),
});

/** Adds the routes of the assignment rules, for administrators, and of being away, for each agent. */
export function addAssignmentRoutes(
  routes: AgentRoutes,
  {
    rules,
    availability,
    onRules,
  }: {
    readonly rules: Rules;
    readonly availability: Availability;
    /** Called after the rules have changed. */
    readonly onRules: () => void;
  },
): void {
  routes.change('put', '/api/availability', 'answer', ({ agent }, { body }) =>
    availability.setAway(agent, readBody(availabilityRequest, body).isAway),
  );
  routes.get('/api/admin/assignment', 'manageAgents', () => rules.read());
  routes.change('put', '/api/admin/assignment', 'manageAgents', async ({ agent }, { body }) => {
    const saved = await rules.save(agent, readBody(assignmentSettings, body));
    onRules();
    return saved;
  });
}
