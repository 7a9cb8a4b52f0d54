import { randomUUID } from 'node:crypto';
import { agentMessageBody, chatBody, closeBody, establishBody, probeBody } from '../simulator/index.js';

/** Fields as they lie on the wire. */
type Fields = Readonly<Record<string, unknown>>;

/** When the fixtures were sent: 2025-01-01, midnight UTC. */
const SENT_AT = Date.UTC(2025, 0, 1);

const newId = (kind: string) => `${kind}-${randomUUID()}`;

const fixture =
  <Body extends object>(make: () => Body) =>
  (fields: Fields = {}): Body & Fields => ({ ...make(), ...fields });

/**
 * A well-formed body of everything the service sends, as it lies on the wire. Ids are new in each; fields given
 * replace its own.
 *
 * @example fixtures.chat({ conversation_id: 'c-1', body: 'Hello?' })
 */
export const fixtures = {
  /** An agent's answer, for the message webhook (4.5). */
  message: fixture(() =>
    agentMessageBody({ text: 'Your parcel is on its way.', anonymousId: newId('anonymous') }, SENT_AT),
  ),
  /** A user is to be handed over, for `/conversation/establish` (4.6). */
  establish: fixture(() =>
    establishBody({
      conversationId: newId('handoff'),
      timestamp: SENT_AT,
      agentId: 'agent-1',
      user: { userId: newId('user'), anonymousId: newId('anonymous'), email: 'support@example.com' },
      transcript: [
        { text: 'Where is my parcel?', message_type: 'QUESTION' },
        { text: '', message_type: 'ANSWER' },
      ],
    }),
  ),
  /** The user says something, for `/chat` (4.7). */
  chat: fixture(() => chatBody(newId('handoff'), SENT_AT, 'Are you there?')),
  /** The user left, for `/conversation/close` (4.8). */
  close: fixture(() => closeBody(newId('handoff'), SENT_AT, 'USER_CLOSED')),
  /** An availability test, for any of them (4.3). */
  probe: fixture(() => probeBody(SENT_AT)),
} as const;
