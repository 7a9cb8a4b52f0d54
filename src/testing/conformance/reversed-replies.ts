import type { CheckContext } from './check-context.js';
import type { FullStack } from './full-stack.js';
import { createWebhookAdapter, isAgentReply } from './recorded-events.js';

/** Replies of an agent, in their order. */
export const REPLIES: readonly string[] = ['Reply 1 of 3.', 'Reply 2 of 3.', 'Reply 3 of 3.'];

/** An agent writes the {@link REPLIES}, and their webhooks reach the receiver in reverse. */
export async function replyInReverse(
  context: CheckContext,
  { forwarder }: FullStack,
  externalId: string,
): Promise<void> {
  const adapter = await createWebhookAdapter(context);
  await forwarder.idle();
  forwarder.pause();
  for (const text of REPLIES) await context.system.agent.reply(externalId, text);
  await context.waitFor('the webhooks of the replies', () => {
    const reported = context.webhookSink.requests.flatMap((request) => adapter.parse(request).events);
    return REPLIES.every((text) => reported.some((event) => isAgentReply(event, externalId, text)));
  });
  forwarder.resume('newest-first');
}
