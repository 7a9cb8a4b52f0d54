import {
  type AdapterCall,
  AdapterError,
  type CloseReason,
  type ConversationRef,
  type HandoffSession,
  type InboundEvent,
  keyHash,
  type OpenedConversation,
  readExtra,
  sessionFacts,
  transcriptText,
} from '../../bridge/index.js';
import type { LarkApi, ListedMessage } from './api.js';
import { type CardContent, cardContent, isClosedCard, postContent, readCard, rootCard } from './card.js';
import type { CheckedSettings } from './settings.js';
import { messageEvents } from './webhook.js';

/** A rich text has at most 30 kB, in which a character can take 7 bytes. */
export const MAX_TEXT = 3_500;
/** How far Lark's clock may be off, in milliseconds. */
const CLOCK_SKEW_MS = 300_000;
/** `find` looks at 300 messages of the chat, `catchUp` at 2,000 of a thread. */
const MAX_PAGES_OF_CHAT = 6;
const MAX_PAGES_OF_THREAD = 40;

const truncate = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;

/** A key for `uuid`, which has at most 50 characters. */
const uuidOf = (...parts: readonly string[]): string => keyHash({ key: parts.join(' ') }, 40);

/** Creates `open` and `find`: a card, and the transcript as the first reply in its thread. */
export function createOpening(api: LarkApi, settings: CheckedSettings) {
  const { appId, chat } = settings;

  /** Starts the thread, so that agents who answer the card answer there. */
  const startThread = async (
    root: string,
    session: HandoffSession,
    link: string | null | undefined,
    call: AdapterCall,
  ): Promise<OpenedConversation> => {
    const message = {
      type: 'post',
      content: postContent(threadText(session, settings)),
      uuid: uuidOf('thread', session.key),
    } as const;
    return opened(root, (await api.reply(root, message, call)).thread_id, link);
  };

  /** A thread that somebody else started has no transcript yet. */
  const hasTranscript = async (root: string, thread: string, call: AdapterCall): Promise<boolean> => {
    for await (const { message_id, sender } of api.list({ thread }, MAX_PAGES_OF_THREAD, call)) {
      if (sender?.id === appId && message_id !== root) return true;
    }
    return false;
  };

  return {
    async open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation> {
      const card = rootCard(contentOf(session), { kind: 'waiting' });
      const message = { type: 'interactive', content: card, uuid: uuidOf('card', session.key) } as const;
      const { message_id: root, message_app_link } = await api.create(chat, message, call);
      if (!root) throw new AdapterError('transient', 'Lark answered a sent message without its id.');
      return startThread(root, session, message_app_link, call);
    },

    async find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null> {
      const { reference } = contentOf(session);
      const sinceSeconds = Math.floor((session.requestedAt.getTime() - CLOCK_SKEW_MS) / 1_000);
      for await (const message of api.list({ chat, sinceSeconds }, MAX_PAGES_OF_CHAT, call)) {
        const { message_id: root, thread_id: thread, sender, body } = message;
        const isOurs = root && sender?.id === appId && body?.content.includes(reference);
        if (!isOurs) continue;
        return thread && (await hasTranscript(root, thread, call))
          ? opened(root, thread, message.message_app_link)
          : startThread(root, session, message.message_app_link, call);
      }
      return null;
    },
  };
}

function opened(
  externalId: string,
  thread: string | null | undefined,
  link: string | null | undefined,
): OpenedConversation {
  if (!thread) throw new AdapterError('transient', 'Lark answered a reply in a thread without its id.');
  return { externalId, extra: { thread }, ...(link?.startsWith('https://') && { url: link }) };
}

/** What the card shows of a session. */
function contentOf(session: HandoffSession): CardContent {
  const { transcript, later = [] } = session;
  const question = [...transcript, ...later].findLast(
    ({ from, text }) => from === 'user' && text.trim() !== '',
  );
  const lines = factLines(session);
  return {
    text: [...lines, ...(question ? ['', truncate(question.text, 150)] : [])].join('\n'),
    reference: keyHash(session, 20),
  };
}

const factLines = (session: Parameters<typeof sessionFacts>[0]): string[] =>
  sessionFacts(session).map(([name, value]) => `${name}: ${truncate(value, 130)}`);

/** The first reply in a thread: the transcript and help. The bridge sends what is too long for it in the replies after it. */
function threadText({ transcript }: HandoffSession, { insidePrefix, closeWords }: CheckedSettings): string {
  const words = closeWords.join(' or ');
  const close = words === '' ? 'The button closes' : `The button, or ${words} as the last word, closes`;
  const help = `Reply in this thread. Messages that begin with ${insidePrefix} are internal. ${close} the conversation.`;
  return `${transcriptText(transcript, { maxLength: MAX_TEXT })}\n\n${help}`.trim();
}

/** A message of the app in the thread of a conversation. */
export async function reply(
  api: LarkApi,
  { externalId }: ConversationRef,
  text: string,
  key: readonly string[],
  call: AdapterCall,
): Promise<string | null> {
  // Lark rejects a message without text.
  const content = postContent(text.trim() === '' ? '[empty message]' : text);
  const sent = await api.reply(externalId, { type: 'post', content, uuid: uuidOf(...key) }, call);
  return sent.message_id ?? null;
}

/**
 * Creates `close`. Threads have no closed state, so `close` posts a notice and then changes the card. In this order:
 * without the notice agents would write on, and a button that stays does no harm.
 */
export function createClose(api: LarkApi) {
  const changeCard = async (ref: ConversationRef, reason: string, call: AdapterCall): Promise<void> => {
    const root = await api.message(ref.externalId, call);
    const card = readCard(root?.body?.content ?? '');
    if (!root || isClosedCard(card)) return;
    const content = cardContent(card) ?? { text: factLines(ref).join('\n'), reference: '' };
    await api.updateCard(ref.externalId, rootCard(content, { kind: 'closed', reason }), call);
  };

  return async (ref: ConversationRef, { text }: CloseReason, call: AdapterCall): Promise<void> => {
    const reason = `Closed: ${truncate(text, 300)}`;
    try {
      // A second one with the same key has no effect.
      await reply(api, ref, reason, ['closed', ref.externalId], call);
      await changeCard(ref, reason, call).catch((error: unknown) => {
        if (!isRefusedForGood(error)) throw error;
        call.log.warn({ err: error }, 'lark: closed with a notice; the card keeps its buttons');
      });
    } catch (error) {
      if (!(error instanceof AdapterError) || error.kind !== 'gone') throw error;
    }
  };
}

/** Lark took the notice, so a refusal concerns the card alone, such as one of more than 14 days. */
const isRefusedForGood = (error: unknown): boolean =>
  error instanceof AdapterError && (error.kind === 'invalid' || error.kind === 'auth');

/** Creates `catchUp`: reads the thread. Clicks on buttons are not in it. */
export function createCatchUp(api: LarkApi, settings: CheckedSettings) {
  return async (ref: ConversationRef, since: Date, call: AdapterCall): Promise<readonly InboundEvent[]> => {
    const thread = readExtra('Lark', ref, 'thread');
    const oldest = since.getTime() - CLOCK_SKEW_MS;
    const events: InboundEvent[][] = [];
    for await (const message of api.list({ thread }, MAX_PAGES_OF_THREAD, call)) {
      if (Number(message.create_time) < oldest) break;
      events.push(listedEvents(message, ref.externalId, settings));
    }
    return events.toReversed().flat();
  };
}

/** A recalled message has no content any more. */
function listedEvents(
  { message_id: id, msg_type: type, sender, body, mentions, deleted }: ListedMessage,
  root: string,
  settings: CheckedSettings,
): InboundEvent[] {
  if (!id || !type || !sender || !body || deleted || id === root) return [];
  return messageEvents(
    {
      id,
      root,
      inThread: true,
      type,
      content: body.content,
      mentions: (mentions ?? []).map(({ key, id: openId, name }) => ({ key, openId, name })),
      sender: { id: sender.id, type: sender.sender_type },
    },
    settings,
  );
}
