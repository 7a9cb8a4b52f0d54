import type { DeliveredEvent } from '../events/index.js';
import { toText } from './text.js';

/**
 * Writes an event as JSON, to be handled later or by another process. The body is the text that was received where
 * that is known: parsing and writing it again would cost time and change nothing.
 */
export function storeEvent({
  body,
  text,
  name,
  key,
  conversationId,
  receivedAt,
  requestId,
}: DeliveredEvent): string {
  const fields = `"name":"${name}","key":"${toText(key)}","conversationId":"${toText(conversationId)}"`;
  const received = `"receivedAt":${receivedAt},"requestId":"${toText(requestId)}"`;
  return `{${fields},${received},"body":${text ?? JSON.stringify(body)}}`;
}

/** Reads what {@link storeEvent} wrote. */
export const restoreEvent = (content: string): DeliveredEvent => JSON.parse(content) as DeliveredEvent;

/** Every id under which the platform knows the user of an event. */
export function userIdsOf(event: DeliveredEvent): string[] {
  const ids =
    event.name === 'message' ? event.body : event.name === 'handoff.requested' && event.body.user_info;
  if (!ids) return [];
  return [ids.user_id, ids.anonymous_id].filter((id) => id !== null);
}
