import type { DeliveryHost } from '../delivery/index.js';
import type { DeliveredEvent, Dispatcher, HandlerRun } from '../events/index.js';
import type { HandoffLifecycle } from '../handoff/index.js';

/** Records that a conversation was requested and accepted. Repeating it changes nothing. */
export async function beginHandoff(
  lifecycle: HandoffLifecycle,
  event: DeliveredEvent<'handoff.requested'>,
): Promise<void> {
  await lifecycle.request(event);
  await lifecycle.accept(event.conversationId);
}

/** Wraps a dispatcher: records requests and closes in the lifecycle. A failing store counts as a failed handler. */
export function withHandoffTracking(
  lifecycle: HandoffLifecycle,
  dispatcher: Dispatcher,
): DeliveryHost['handle'] {
  const reported = async <Result>(
    event: DeliveredEvent,
    { attempt }: HandlerRun,
    change: Promise<Result>,
  ): Promise<Result> => {
    try {
      return await change;
    } catch (error) {
      const { name, conversationId, requestId } = event;
      dispatcher.report(error, { event: name, conversationId, requestId, attempt });
      throw error;
    }
  };

  const begin = async (event: DeliveredEvent<'handoff.requested'>, run: HandlerRun): Promise<void> => {
    await reported(event, run, beginHandoff(lifecycle, event));
    await dispatcher.handle(event, run);
  };

  const end = async (event: DeliveredEvent<'handoff.closed'>, run: HandlerRun): Promise<void> => {
    const isEnded = await reported(event, run, endHandoff(lifecycle, event));
    await dispatcher.handle(event, run);
    if (isEnded) await reported(event, run, lifecycle.close(event.conversationId));
  };

  return (event, run) => {
    if (event.name === 'handoff.requested') return begin(event, run);
    if (event.name === 'handoff.closed') return end(event, run);
    return dispatcher.handle(event, run);
  };
}

/** Records that the platform has ended a conversation. `false`: it is unknown, or was requested again since. */
async function endHandoff(
  lifecycle: HandoffLifecycle,
  { conversationId, receivedAt, body }: DeliveredEvent<'handoff.closed'>,
): Promise<boolean> {
  const conversation = await lifecycle.store.get(conversationId);
  if (!conversation || conversation.requestedAt.getTime() > receivedAt) return false;
  await lifecycle.end(conversationId, body.type === 'TIMEOUT' ? 'timeout' : 'user', body.type);
  return true;
}
