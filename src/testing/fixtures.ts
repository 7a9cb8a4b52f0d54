import { randomUUID } from 'node:crypto';
import { botMessageBody, chatBody, closeBody, establishBody, probeBody } from '../simulator/index.js';

/** In wire format. */
type Fields = Readonly<Record<string, unknown>>;

/** The time of every fixture: 2025-01-01, midnight UTC. */
const SENT_AT = Date.UTC(2025, 0, 1);

const newId = (kind: string) => `${kind}-${randomUUID()}`;

const fixture =
  <Body extends object>(make: () => Body) =>
  (fields: Fields = {}): Body & Fields => ({ ...make(), ...fields });

/**
 * Well-formed request bodies from the platform. Each call creates new ids; the given fields replace the defaults.
 *
 * @example fixtures.chat({ conversation_id: 'c-1', body: 'Hello?' })
 */
export const fixtures = {
  /** A bot's answer, for the message webhook. */
  message: fixture(() =>
    botMessageBody({ text: 'Your parcel is on its way.', anonymousId: newId('anonymous') }, SENT_AT),
  ),
  /** A handoff request, for `/conversation/establish`. */
  establish: fixture(() =>
    establishBody({
      conversationId: newId('handoff'),
      timestamp: SENT_AT,
      botId: 'bot-1',
      user: { userId: newId('user'), anonymousId: newId('anonymous'), email: 'support@example.com' },
      transcript: [
        { text: 'Where is my parcel?', message_type: 'QUESTION' },
        { text: '', message_type: 'ANSWER' },
      ],
    }),
  ),
  /** A user's message, for `/chat`. */
  chat: fixture(() => chatBody(newId('handoff'), SENT_AT, 'Are you there?')),
  /** A user's close, for `/conversation/close`. */
  close: fixture(() => closeBody(newId('handoff'), SENT_AT, 'USER_CLOSED')),
  /** An availability test, for any endpoint. */
  probe: fixture(() => probeBody(SENT_AT)),
} as const;
