import { z } from 'zod';
import { assignmentSettings } from '../../api.js';
import type { Availability } from '../assignment/availability.js';
import type { Rules } from '../settings.js';
import type { AgentRoutes } from './agent-routes.js';

const id = z.string().trim().min(1).max(200);

const availabilityRequest = z.object({ isAway: z.boolean() });

const assignmentChange = z.object({
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
  routes.change(
    'put',
    '/api/availability',
    'answer',
    { summary: 'Sets whether you are away', body: availabilityRequest },
    ({ agent, body }) => availability.setAway(agent, body.isAway),
  );
  routes.get(
    '/api/admin/assignment',
    'manageAgents',
    { summary: 'The rules that assign conversations', answer: assignmentSettings },
    () => rules.read(),
  );
  routes.change(
    'put',
    '/api/admin/assignment',
    'manageAgents',
    { summary: 'Replaces the rules', body: assignmentChange, answer: assignmentSettings },
    async ({ agent, body }) => {
      const saved = await rules.save(agent, body);
      onRules();
      return saved;
    },
  );
}
