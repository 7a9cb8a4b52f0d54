import type { Adapter, InboundEvent, InboundRequest } from '../../bridge/index.js';
import { NotApplicable } from './check.js';
import { found } from './failure.js';
import { newSession, type Rig } from './rig.js';

/** An adapter with webhooks. */
export type HookedAdapter = Adapter & Required<Pick<Adapter, 'verify' | 'parse'>>;

/** Makes the adapter, and says so when it has no webhooks. */
export async function hookedAdapter(rig: Rig): Promise<HookedAdapter> {
  const adapter = await rig.make();
  const { inbound } = adapter.capabilities;
  if (isHooked(adapter)) return adapter;
  throw new NotApplicable(`its agents' words come by ${inbound.join(' and ')}, not by webhook.`);
}

const isHooked = (adapter: Adapter): adapter is HookedAdapter =>
  adapter.capabilities.inbound.includes('webhook') &&
  adapter.verify !== undefined &&
  adapter.parse !== undefined;

/** The request by which the system tells of an agent's reply to a new conversation, and what is read from it. */
export async function agentsRequest(
  rig: Rig,
  text = 'Good morning, an agent speaking.',
): Promise<{ adapter: HookedAdapter; request: InboundRequest; event: InboundEvent; externalId: string }> {
  const adapter = await hookedAdapter(rig);
  const { externalId } = await adapter.open(newSession(), rig.call);
  const ear = await rig.listen(adapter);
  await rig.system.agent.reply(externalId, text);
  const { request, event } = await ear.until(
    `verify and parse to make a message of the agent's reply to ${externalId}`,
    (heard) => heard.request !== null && isReply(heard.event, externalId, text),
  );
  if (!request) return found('the reply came by another way than a webhook.');
  return { adapter, request, event, externalId };
}

/** Whether an event is a message to the user that an agent wrote in a conversation. */
export const isReply = (event: InboundEvent, externalId: string, text: string): boolean =>
  event.kind === 'message' &&
  event.externalId === externalId &&
  event.text.trim() === text &&
  event.author.kind === 'agent' &&
  !event.internal;
