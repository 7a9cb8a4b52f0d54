import {
  type AdapterCall,
  type CloseReason,
  type ConversationRef,
  nullIf,
  readExtra,
} from '../../bridge/index.js';
import { asNotice } from './open.js';
import type { PublicApi } from './public-api.js';

/** The source id that `open` gave the contact. The public API finds conversations by it only. */
export const contactOf = (ref: ConversationRef): string => readExtra('Chatwoot', ref, 'contact');

/**
 * Tells the agents of a reply that failed after its webhook was answered. Chatwoot's own mark would need the access token
 * of an agent. A message opens a resolved conversation, which is therefore resolved again.
 */
export async function postUndelivered(
  api: PublicApi,
  ref: ConversationRef,
  notice: string,
  call: AdapterCall,
): Promise<void> {
  const contact = contactOf(ref);
  const conversation = await api.conversation(contact, ref.externalId, call).catch(nullIf('invalid'));
  await api.postMessage(contact, ref.externalId, { text: asNotice(notice) }, call);
  if (conversation?.status === 'resolved') await api.resolve(contact, ref.externalId, call);
}

/** Posts the reason and resolves the conversation. */
export async function closeConversation(
  api: PublicApi,
  ref: ConversationRef,
  { text }: CloseReason,
  call: AdapterCall,
): Promise<void> {
  // A deleted conversation needs no close.
  await postAndResolve(api, ref, asNotice(text), call).catch(nullIf('gone'));
}

async function postAndResolve(
  api: PublicApi,
  ref: ConversationRef,
  notice: string,
  call: AdapterCall,
): Promise<void> {
  const contact = contactOf(ref);
  // One that is too large to be read is closed all the same; at worst agents see the reason twice.
  const conversation = await api.conversation(contact, ref.externalId, call).catch(nullIf('invalid'));
  // A message to a resolved conversation would reopen it.
  if (conversation?.status === 'resolved') return;
  if (conversation?.incoming.at(-1) !== notice)
    await api.postMessage(contact, ref.externalId, { text: notice }, call);
  await api.resolve(contact, ref.externalId, call);
}
