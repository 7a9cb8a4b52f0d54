import { AdapterError } from '../adapter/adapter-types.js';
import { transcriptParts } from '../adapter/text.js';
import { type BridgeContext, KEY_TTL_MS, sessionKey, toSession } from '../bridge-context.js';
import type { SendToHelpdesk, SendTranscript } from './deliver-message.js';

/** After this time it is not known any more what was sent. */
const SENT_WITHIN_MS = KEY_TTL_MS - 86_400_000;

export function createSendTranscript(
  { adapter, lifecycle: { store }, log }: BridgeContext,
  send: SendToHelpdesk,
): SendTranscript {
  const { maxTextLength } = adapter.capabilities;
  const inFlight = new Map<string, Promise<void>>();

  const sendParts = async (
    key: string,
    parts: readonly string[],
    ...[conversation, link, run]: Parameters<SendTranscript>
  ): Promise<void> => {
    const doneKey = `bridge transcript ${adapter.name} ${key}`;
    if (await store.hasIdempotencyKey(doneKey)) return;
    const { signal } = run;
    const ensureClaimed = () => run.ensureClaimed();
    for (const [index, text] of parts.entries()) {
      const part = { key: `${key} ${index + 1}`, text, sentAt: null, signal, ensureClaimed };
      try {
        await send(conversation, link, part, { mayJoin: false });
      } catch (error) {
        if (!(error instanceof AdapterError) || error.kind !== 'invalid') throw error;
        // The messages of the user must not wait for it.
        const details = { conversationId: conversation.id, err: error };
        log.error(details, 'a part of the transcript could not be shown to the agents');
      }
    }
    await store.addIdempotencyKey(doneKey, KEY_TTL_MS);
  };

  return async (conversation, link, run) => {
    const { later = [] } = toSession(conversation, adapter);
    if (later.length === 0 || Date.now() - conversation.requestedAt.getTime() > SENT_WITHIN_MS) return;
    const key = `transcript ${sessionKey(conversation)}`;
    // Without stored delivery, a message of the user can come while the handoff is still being handled.
    const sending =
      inFlight.get(key) ??
      sendParts(key, transcriptParts(later, maxTextLength), conversation, link, run).finally(() =>
        inFlight.delete(key),
      );
    inFlight.set(key, sending);
    await sending;
  };
}
