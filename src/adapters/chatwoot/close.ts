import {
  type AdapterCall,
  AdapterError,
  type CloseReason,
  type ConversationRef,
} from '../../bridge/index.js';
import { asNotice } from './open.js';
import type { PublicApi, RemoteConversation } from './public-api.js';

/** The source id that `open` gave the contact. The public API finds conversations by it only. */
export function contactOf({ extra }: ConversationRef): string {
  const { contact } = extra;
  if (contact) return contact;
  throw new AdapterError(
    'invalid',
    'This conversation was not opened by the Chatwoot adapter: its contact is missing.',
  );
}

/** Posts the reason and resolves the conversation. */
export async function closeConversation(
  api: PublicApi,
  ref: ConversationRef,
  { text }: CloseReason,
  call: AdapterCall,
): Promise<void> {
  try {
    await postAndResolve(api, ref, asNotice(text), call);
  } catch (error) {
    // A deleted conversation needs no close.
    if (error instanceof AdapterError && error.kind === 'gone') return;
    throw error;
  }
}

async function postAndResolve(
  api: PublicApi,
  ref: ConversationRef,
  notice: string,
  call: AdapterCall,
): Promise<void> {
  const contact = contactOf(ref);
  const conversation = await api.conversation(contact, ref.externalId, call).catch(nullIfTooLarge);
  // A message to a resolved conversation would reopen it.
  if (conversation?.status === 'resolved') return;
  if (conversation?.incoming.at(-1) !== notice)
    await api.postMessage(contact, ref.externalId, { text: notice }, call);
  await api.resolve(contact, ref.externalId, call);
}

/** A conversation that cannot be read is closed all the same; at worst agents see the reason twice. */
function nullIfTooLarge(error: unknown): RemoteConversation | null {
  if (error instanceof AdapterError && error.kind === 'invalid') return null;
  throw error;
}
