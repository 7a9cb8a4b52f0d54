import { createHash } from 'node:crypto';
import type {
  AdapterCall,
  ConversationRef,
  HandoffSession,
  OutgoingMessage,
} from '../../../src/bridge/index.js';
import { silentLog } from '../../../src/internal/index.js';

/** The second argument of adapter methods. */
export const call: AdapterCall = { signal: new AbortController().signal, log: silentLog };

let sessions = 0;

/** A new session. */
export function session(changes: Partial<HandoffSession> = {}): HandoffSession {
  sessions += 1;
  const id = `handoff-${createHash('sha256').update(`${process.pid} ${sessions}`).digest('hex').slice(0, 12)}`;
  return {
    key: `${id} 1`,
    conversationId: id,
    bot: 'default',
    user: {
      key: `user:u-${id}`,
      userId: `u-${id}`,
      anonymousId: null,
      email: 'support@example.com',
      phone: null,
    },
    botId: 'bot-1',
    transcript: [
      { from: 'user', text: 'My parcel is late' },
      { from: 'bot', text: 'I will get a human.' },
    ],
    requestedAt: new Date('2026-01-01T10:00:00Z'),
    replyBy: new Date('2026-01-01T10:01:00Z'),
    ...changes,
  };
}

/** The reference that `send` and `close` receive. */
export const toRef = (of: HandoffSession, externalId: string): ConversationRef => ({
  conversationId: of.conversationId,
  bot: of.bot,
  externalId,
  url: null,
  extra: {},
  user: of.user,
});

let messages = 0;

/** A new message of the user. */
export function message(text: string): OutgoingMessage {
  messages += 1;
  return { key: `message ${messages}`, text, sentAt: null };
}
