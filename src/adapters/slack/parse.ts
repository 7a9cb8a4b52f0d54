import {
  AdapterError,
  type InboundEvent,
  type InboundRequest,
  type ParsedWebhook,
} from '../../bridge/index.js';
import { messageEvents } from './parse-message.js';
import { type Fields, fieldsOf, isFields, listOf, textOf } from './read.js';
import { CLOSE_ACTION } from './root-message.js';
import type { Slack } from './settings.js';
import { externalIdOf, isTs } from './thread-ref.js';

/** What a request of Slack says. Events come as JSON, pressed buttons as a form with JSON in its `payload`. */
export function parseRequest({ body }: InboundRequest, slack: Slack): ParsedWebhook {
  const payload = readPayload(body.toString('utf8'));
  if (payload.type === 'event_callback') return { events: messageEvents(payload, slack) };
  if (payload.type === 'block_actions') return { events: pressed(payload, slack) };
  if (payload.type === 'url_verification') return { events: [], response: challengeOf(payload) };
  return { events: [] };
}

// By the body alone: the signature does not cover the content type.
function readPayload(body: string): Fields {
  const json = body.trimStart().startsWith('{') ? body : new URLSearchParams(body).get('payload');
  if (json === null) throw unreadable('neither JSON nor a form with a payload');
  const payload = parsed(json);
  if (!isFields(payload)) throw unreadable('JSON, but no object');
  return payload;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw unreadable('broken JSON');
  }
}

const unreadable = (what: string): AdapterError =>
  new AdapterError('invalid', `slack: a request cannot be read: ${what}.`);

/** Slack asks for its words back before it sends events to an address. */
function challengeOf({ challenge }: Fields): NonNullable<ParsedWebhook['response']> {
  if (typeof challenge !== 'string') throw unreadable('a verification of the address without a challenge');
  return { contentType: 'text/plain; charset=utf-8', body: challenge };
}

function pressed(payload: Fields, { channel, names }: Slack): InboundEvent[] {
  const { container, message } = {
    container: fieldsOf(payload.container),
    message: fieldsOf(payload.message),
  };
  const where = textOf(fieldsOf(payload.channel).id) || textOf(container.channel_id);
  const thread = textOf(message.thread_ts) || textOf(message.ts) || textOf(container.message_ts);
  const action = listOf(payload.actions).find(({ action_id }) => action_id === CLOSE_ACTION);
  if (!action || where !== channel || !isTs(thread)) return [];
  const user = textOf(fieldsOf(payload.user).id);
  const externalId = externalIdOf({ channel, ts: thread });
  return [
    {
      kind: 'closed',
      id: `${externalId}:button:${textOf(action.action_ts)}`,
      externalId,
      author: { kind: 'agent', name: names.get(user) ?? null },
    },
  ];
}
