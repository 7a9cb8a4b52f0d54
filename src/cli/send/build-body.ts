import { randomUUID } from 'node:crypto';
import type { WebhookEndpoint } from '../../protocol/index.js';
import {
  agentMessageBody,
  chatBody,
  closeBody,
  establishBody,
  probeBody,
} from '../../simulator/sending/index.js';
import type { PROBED, Sendable } from './sendable.js';

/** What the command line says of a body. */
export interface BodyFlags {
  readonly text?: string;
  readonly conversation?: string;
  readonly messageId?: string;
  readonly user?: string;
  readonly anonymous?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly agent?: string;
  readonly type?: 'TIMEOUT' | 'USER_CLOSED';
  readonly at?: (typeof PROBED)[number];
}

const DEFAULT_TEXT = 'A test, sent with handoff-kit send';

const newId = (): string => `send-${randomUUID()}`;

type Build = (flags: BodyFlags, conversationId: string, now: number) => object;

const BUILDERS: Readonly<Record<WebhookEndpoint, Build>> = {
  message: (flags, conversationId, now) => {
    const { text = DEFAULT_TEXT, user: userId = null, anonymous: anonymousId = null } = flags;
    const { messageId = newId() } = flags;
    return agentMessageBody({ text, userId, anonymousId, conversationId, messageId }, now);
  },
  establish: (flags, conversationId, timestamp) => {
    const { user: userId = null, anonymous: anonymousId = null, email = null, phone = null } = flags;
    const { text = DEFAULT_TEXT, agent: agentId = 'send-agent' } = flags;
    const user = { userId, anonymousId, email, phone };
    const transcript = [{ text, message_type: 'QUESTION' }];
    return establishBody({ conversationId, timestamp, agentId, user, transcript });
  },
  chat: ({ text = DEFAULT_TEXT }, conversationId, now) => chatBody(conversationId, now, text),
  close: ({ type = 'USER_CLOSED' }, conversationId, now) => closeBody(conversationId, now, type),
};

/** The body that flags describe; what they leave out is made up. */
export function buildBody(what: Sendable, flags: BodyFlags, now: number): object {
  const { conversation = newId(), at = 'message' } = flags;
  if (what !== 'probe') return BUILDERS[what](flags, conversation, now);
  // The base URL of the handoff endpoints is tested in the format of messages.
  if (at === 'message' || at === 'handoff') return { ...probeBody(now), conversation_id: conversation };
  return { ...BUILDERS[at](flags, conversation, now), istest: true };
}
