import { DEFAULT_BOT, type DeliveredEvent } from '../events/index.js';
import { encodeText } from './text.js';

/**
 * Serialises an event. The body is the JSON text as received, if available: serialising it again would cost time and
 * change nothing.
 */
export function storeEvent(event: DeliveredEvent): string {
  const { body, text, raw, name, key, bot, conversationId, receivedAt, requestId, trace } = event;
  const ids = `"key":"${encodeText(key)}","conversationId":"${encodeText(conversationId)}"`;
  const fields = `"name":"${name}",${bot === DEFAULT_BOT ? '' : `"bot":"${bot}",`}${ids}`;
  const received = `"receivedAt":${receivedAt},"requestId":"${encodeText(requestId)}"`;
  const original = raw === undefined ? '' : `,"raw":${JSON.stringify(raw)}`;
  const traced = trace === undefined ? '' : `,"trace":${JSON.stringify(trace)}`;
  return `{${fields},${received},"body":${text ?? JSON.stringify(body)}${original}${traced}}`;
}

/** The inverse of {@link storeEvent}. */
export function restoreEvent(content: string): DeliveredEvent {
  const stored = JSON.parse(content) as DeliveredEvent;
  return { ...stored, bot: stored.bot ?? DEFAULT_BOT };
}

/** Every id under which the platform knows the user of an event. */
export function userIdsOf(event: DeliveredEvent): string[] {
  const ids =
    event.name === 'message' ? event.body : event.name === 'handoff.requested' && event.body.user_info;
  if (!ids) return [];
  return [ids.user_id, ids.anonymous_id].filter((id) => id !== null);
}
