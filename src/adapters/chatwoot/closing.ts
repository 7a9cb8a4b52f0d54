import {
  type AdapterCall,
  AdapterError,
  type CloseReason,
  type ConversationRef,
} from '../../bridge/index.js';
import { marked } from './first-message.js';
import type { PublicApi } from './public-api.js';

/** The name of the session that `open` made, without which the public API shows no conversation. */
export function contactOf({ extra }: ConversationRef): string {
  const { contact } = extra;
  if (contact) return contact;
  throw new AdapterError(
    'invalid',
    'This conversation was not opened by the Chatwoot adapter: its contact is missing.',
  );
}

/** Resolves a conversation, and says why before. */
export async function closeConversation(
  api: PublicApi,
  ref: ConversationRef,
  { text }: CloseReason,
  call: AdapterCall,
): Promise<void> {
  try {
    await tellAndResolve(api, ref, marked(text), call);
  } catch (error) {
    // What was deleted needs no end.
    if (error instanceof AdapterError && error.kind === 'gone') return;
    throw error;
  }
}

async function tellAndResolve(
  api: PublicApi,
  ref: ConversationRef,
  why: string,
  call: AdapterCall,
): Promise<void> {
  const contact = contactOf(ref);
  const { status, incoming } = await api.conversation(contact, ref.externalId, call);
  // A word to a resolved conversation would open it again.
  if (status === 'resolved') return;
  if (incoming.at(-1) !== why) await api.say(contact, ref.externalId, { text: why }, call);
  await api.resolve(contact, ref.externalId, call);
}
