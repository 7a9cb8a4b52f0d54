import { type AdapterCall, type ConversationRef, type InboundEvent, nullIf } from '../../bridge/index.js';
import { contactOf } from './close.js';
import { asId, asObject, type JsonObject } from './json.js';
import type { PublicApi } from './public-api.js';
import { parseMessage } from './webhook.js';

/**
 * Lists the messages of a conversation in the order of their ids, and its close. Chatwoot's workers send webhooks in any
 * order and only once.
 *
 * The public API has no authors of messages that came through Chatwoot's Slack integration: they are listed as the
 * system's, and count when their webhooks arrive. It does not tell campaigns from replies; Chatwoot refuses campaigns
 * for API inboxes. Of a conversation that is too large to read, the last 20 messages are listed, without the close.
 */
export async function listEvents(
  api: PublicApi,
  ref: ConversationRef,
  since: Date,
  call: AdapterCall,
): Promise<readonly InboundEvent[]> {
  const { externalId } = ref;
  const contact = contactOf(ref);
  const conversation = await api.conversation(contact, externalId, call).catch(nullIf('invalid'));
  const messages = conversation?.messages ?? (await api.latestMessages(contact, externalId, call));
  const replies = messages
    .filter((message) => isSince(message, since) && !isDeleted(message))
    .toSorted((one, other) => Number(asId(one.id)) - Number(asId(other.id)))
    .flatMap((message) => parseMessage({ ...message, private: false }, externalId));
  if (conversation?.status !== 'resolved') return replies;
  // Another id than that of the webhook, which names the time. The second of the two finds an ended conversation.
  const author = { kind: 'agent', name: null } as const;
  return [...replies, { kind: 'closed', id: `resolved ${externalId}`, externalId, author }];
}

const isSince = ({ created_at }: JsonObject, since: Date): boolean =>
  typeof created_at === 'number' && created_at >= Math.floor(since.getTime() / 1000);

/** A deleted message carries a placeholder text. */
const isDeleted = ({ content_attributes }: JsonObject): boolean =>
  Boolean(asObject(content_attributes).deleted);
