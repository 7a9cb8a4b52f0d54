import type { DeliveredEvent } from '../events/index.js';

/** Writes an event so that it can be handled later and elsewhere. Any text survives it, also half a surrogate pair. */
export function storeEvent({ name, body, text, receivedAt, requestId }: DeliveredEvent): string {
  const rest = JSON.stringify({ name, receivedAt, requestId }).slice(1);
  return `{"body":${text ?? JSON.stringify(body)},${rest}`;
}

/** Reads what {@link storeEvent} wrote; its key and conversation are kept beside it. */
export function restoreEvent(content: string, key: string, conversationId: string): DeliveredEvent {
  return { ...(JSON.parse(content) as DeliveredEvent), key, conversationId };
}

/** Whose data an event is: every id under which the service knows the user. */
export function peopleOf(event: DeliveredEvent): string[] {
  const ids =
    event.name === 'message' ? event.body : event.name === 'handoff.requested' && event.body.user_info;
  if (!ids) return [];
  return [ids.user_id, ids.anonymous_id].filter((id) => id !== null);
}
