import { expect, onTestFinished } from 'vitest';
import type { AssignmentRules, ConversationSummary } from '../../src/desk/api.js';
import { type AgentClient, eventually, listen } from './agent-client.js';

/** An agent who has the desk open until {@link OnlineAgent.leave}, or until the test ends. */
export interface OnlineAgent extends AgentClient {
  readonly leave: () => void;
}

/** Opens the event stream of an agent, and waits until the desk counts them as there. */
export async function goOnline(url: string, agent: AgentClient): Promise<OnlineAgent> {
  const stream = await listen(url, agent.cookie);
  onTestFinished(() => stream.close());
  const { me } = await agent.state();
  await eventually(() => expect(stream.text()).toMatch(new RegExp(`"availability":.*"agent":"${me.id}"`)));
  return { ...agent, leave: () => stream.close() };
}

/** Changes the rules of the assignment. */
export async function setRules(admin: AgentClient, change: Partial<AssignmentRules>): Promise<void> {
  const { body } = await admin.get<AssignmentRules>('/api/admin/assignment');
  expect((await admin.send('PUT', '/api/admin/assignment', { ...body, ...change })).status).toBe(200);
}

/** Waits until a conversation has an agent, or none with `null`. */
export const holds = (viewer: AgentClient, id: string, agent: string | null): Promise<void> =>
  eventually(async () => expect((await viewer.conversation(id)).summary.agent).toBe(agent));

/** The open conversations of each agent. */
export async function heldBy(viewer: AgentClient): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { agent, state } of (await viewer.state()).conversations) {
    if (state !== 'closed') counts[agent ?? 'waiting'] = (counts[agent ?? 'waiting'] ?? 0) + 1;
  }
  return counts;
}

/** The summary of a conversation. */
export const summaryOf = async (viewer: AgentClient, id: string): Promise<ConversationSummary> =>
  (await viewer.conversation(id)).summary;
