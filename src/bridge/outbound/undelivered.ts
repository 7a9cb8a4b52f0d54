import { hash } from 'node:crypto';
import { type Conversation, isOpen } from '../../handoff/index.js';
import { createTaskCounter } from '../../internal/index.js';
import type { Receiver } from '../../receiver/index.js';
import type { InboundMessage, UndeliveredMessage, UndeliveredReason } from '../adapter/adapter-types.js';
import { textWithAttachments, undeliveredNote } from '../adapter/text.js';
import { type BridgeContext, KEY_TTL_MS, toRef } from '../bridge-context.js';
import type { EchoDetector } from './echo-detection.js';

/** Tells agents that a reply did not reach the user. */
export interface UndeliveredReplies {
  /** Tells of a reply in the background. Never throws. */
  tell(event: InboundMessage, conversation: Conversation, kind: UndeliveredReason['kind']): void;
  /**
   * Tells of the replies that have become dead letters, also of those whose process has ended since. Rejects when the
   * helpdesk cannot be told yet.
   */
  tellOfDeadLetters(): Promise<void>;
  /** Resolves when no agent is being told. */
  idle(): Promise<void>;
}

const REASON_TEXT: Readonly<Record<UndeliveredReason['kind'], string>> = {
  ended: 'The conversation had ended.',
  failed: 'The platform did not take it.',
};

/** Dead letters per pass. Dead letters may stay for months; told ones are remembered for seven days. */
const MAX_DEAD_LETTERS = 1_000;
const LOOK_BACK_MS = 6 * 86_400_000;

export function createUndeliveredReplies(
  { adapter, lifecycle, settings, calls, retry, log }: BridgeContext,
  { queues }: Receiver['storage'],
  echoes: EchoDetector,
): UndeliveredReplies {
  const { store } = lifecycle;
  const running = createTaskCounter();
  /** Dead letters that were handled, so that each pass looks at new ones only. */
  let handled: ReadonlySet<string> = new Set();

  const toldKey = (...parts: readonly string[]): string =>
    `bridge undelivered ${adapter.name} ${hash('sha256', JSON.stringify(parts), 'base64url')}`;
  const toldEventKey = ({ externalId, id }: InboundMessage): string => toldKey('event', externalId, id);
  /** A dead letter does not name its event. */
  const textKey = (conversation: Conversation, text: string): string =>
    toldKey('text', conversation.id, String(conversation.session), text);

  const notify = async (
    conversation: Conversation,
    message: UndeliveredMessage,
    kind: UndeliveredReason['kind'],
  ): Promise<void> => {
    const { link } = conversation;
    if (link?.adapter !== adapter.name) return;
    const ref = toRef(conversation, link);
    const reason = { kind, text: REASON_TEXT[kind] };
    const undelivered = adapter.undelivered?.bind(adapter);
    if (undelivered) {
      await retry(() => calls.run('undelivered', (call) => undelivered(ref, message, reason, call)));
    } else if (isOpen(conversation.state)) {
      const text = undeliveredNote(message, reason).slice(0, adapter.capabilities.maxTextLength);
      const key = toldKey('note', conversation.id, message.messageId ?? message.text);
      await echoes.trackSend(link.externalId, text, () =>
        retry(() => calls.run('send', (call) => adapter.send(ref, { key, text, sentAt: null }, call))),
      );
    } else {
      const details = { conversationId: conversation.id, externalId: link.externalId };
      log.warn(details, 'a reply did not reach the user, and this adapter cannot tell the agents');
    }
  };

  const tellOfEvent = async (
    event: InboundMessage,
    conversation: Conversation,
    kind: UndeliveredReason['kind'],
  ): Promise<void> => {
    if (await store.hasIdempotencyKey(toldEventKey(event))) return;
    const sent = settings.addAgentName(event.author.name, textWithAttachments(event));
    // The conversation may have ended since.
    const current = await store.get(conversation.id);
    const isCurrent = current?.session === conversation.session;
    const { messageId, text } = event;
    await notify(isCurrent ? current : conversation, { messageId, text }, kind);
    await store.addIdempotencyKey(toldEventKey(event), KEY_TTL_MS);
    await store.addIdempotencyKey(textKey(conversation, sent), KEY_TTL_MS);
  };

  const tellOfDeadLetter = async (jobId: string, conversationId: string): Promise<void> => {
    const conversation = await store.get(conversationId);
    const text = textOfReply((await queues?.show('outbox', jobId))?.content);
    if (conversation?.link?.adapter !== adapter.name || text === null) return;
    const key = textKey(conversation, text);
    if (await store.hasIdempotencyKey(key)) return;
    await notify(conversation, { messageId: null, text }, 'failed');
    await store.addIdempotencyKey(key, KEY_TTL_MS);
  };

  return {
    tell(event, conversation, kind) {
      running.enter();
      tellOfEvent(event, conversation, kind)
        .catch((error: unknown) => {
          const details = { conversationId: conversation.id, externalId: event.externalId, err: error };
          log.error(details, 'the agents were not told that a reply did not reach the user');
        })
        .finally(() => running.leave());
    },
    async tellOfDeadLetters() {
      if (!queues) return;
      const since = Date.now() - LOOK_BACK_MS;
      const dead = await queues.list('outbox', { state: 'dead', limit: MAX_DEAD_LETTERS });
      const replies = dead.filter(({ what, createdAt }) => what === 'reply' && createdAt.getTime() > since);
      const done = new Set<string>();
      for (const { id, conversationId } of replies) {
        if (!handled.has(id)) await tellOfDeadLetter(id, conversationId);
        done.add(id);
      }
      handled = done;
    },
    idle: () => running.idle(),
  };
}

function textOfReply(content: unknown): string | null {
  const { text } = Object(content) as { readonly text?: unknown };
  return typeof text === 'string' ? text : null;
}
