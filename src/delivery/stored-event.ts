import type { DeliveredEvent } from '../events/index.js';
import { toText } from './text.js';

/** The body of an event as it is stored: as it came, where that is known. */
export const storeBody = ({ text, body }: DeliveredEvent): string => text ?? JSON.stringify(body);

/** Writes an event so that it can be handled later and elsewhere. Any text survives it, also half a surrogate pair. */
export const storeEvent = (event: DeliveredEvent): string =>
  storedParts(storeBody(event), event.name, event.receivedAt, event.requestId).join('');

/** The same, one part after the other: to join them is work, and the body is large. */
export function storedParts(body: string, name: string, receivedAt: number, requestId: string): string[] {
  return [
    '{"body":',
    body,
    `,"name":"${name}","receivedAt":${receivedAt},"requestId":"${toText(requestId)}"}`,
  ];
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
