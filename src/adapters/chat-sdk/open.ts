import {
  type AdapterCall,
  AdapterError,
  type HandoffSession,
  type OpenedConversation,
  sessionFacts,
  transcriptText,
} from '../../bridge/index.js';
import { toAdapterError, untilAborted } from './errors.js';
import { referencedId, referenceOf, referenceTag } from './incoming.js';
import { plainText } from './plain-text.js';
import type { Platform } from './platform.js';
import type { SdkPosted } from './sdk.js';
import type { CheckedSettings } from './settings.js';

/** How far back `find` searches. */
const MAX_MESSAGES = 300;
const CLOCK_SKEW_MS = 300_000;

/** The `open` and `find` of the adapter. */
export interface Opening {
  open(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation>;
  find(session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null>;
}

/** Creates `open` and `find`. */
export function createOpening(settings: CheckedSettings, platform: Platform): Opening {
  const { chat, channel, adapter } = settings;

  /** Starts the thread of a first message if it has none yet, so that `find` completes an interrupted `open`. */
  const openThread = async (root: SdkPosted, call: AdapterCall): Promise<OpenedConversation> => {
    const threadId = await platform.threadOf(root, call);
    if (threadId === null) {
      throw new AdapterError('invalid', `${platform.name}: the message in ${channel} has no thread.`);
    }
    // Google Chat sends the messages of a thread only to subscribers.
    await chat.thread(threadId).subscribe();
    return { externalId: platform.idOf(threadId), extra: { threadId } };
  };

  /** All conversations share the channel. Posting twice does no harm: both messages have the same reference. */
  const openReference = (session: HandoffSession): OpenedConversation => {
    const reference = referenceOf(session);
    return {
      externalId: referencedId(platform, channel, reference),
      extra: { threadId: channel, reference },
    };
  };

  const findRoot = async (session: HandoffSession): Promise<SdkPosted | null> => {
    const tag = referenceTag(referenceOf(session));
    const oldest = session.requestedAt.getTime() - CLOCK_SKEW_MS;
    let count = 0;
    for await (const message of chat.channel(channel).messages) {
      count += 1;
      if (count > MAX_MESSAGES || message.metadata.dateSent.getTime() < oldest) return null;
      if (message.author.isMe && plainText(message.formatted).includes(tag)) return message;
    }
    return null;
  };

  const open = async (session: HandoffSession, call: AdapterCall): Promise<OpenedConversation> => {
    try {
      await chat.initialize();
      const message = { raw: platform.literal(rootText(session, settings, platform)) };
      const root = await (adapter.postChannelMessage
        ? adapter.postChannelMessage(channel, message)
        : adapter.postMessage(channel, message));
      return platform.hasThreads ? await openThread(root, call) : openReference(session);
    } catch (error) {
      throw channelError(toAdapterError(platform.name, 'opening a conversation', error), channel);
    }
  };

  const find = async (session: HandoffSession, call: AdapterCall): Promise<OpenedConversation | null> => {
    try {
      await chat.initialize();
      const root = await findRoot(session);
      if (!root) return null;
      return platform.hasThreads ? await openThread(root, call) : openReference(session);
    } catch (error) {
      throw channelError(toAdapterError(platform.name, 'reading the history of the channel', error), channel);
    }
  };

  return {
    open: (session, call) =>
      untilAborted(call, platform.name, 'opening a conversation', () => open(session, call)),
    find: (session, call) =>
      untilAborted(call, platform.name, 'reading the history of the channel', () => find(session, call)),
  };
}

/** Before a conversation exists, a missing channel means a wrong setting. */
function channelError(error: AdapterError, channel: string): AdapterError {
  if (error.kind !== 'gone') return error;
  return new AdapterError('auth', `${error.message} Is the bot in the channel ${channel}?`);
}

/** The first message: the user, the transcript or its beginning, and what agents need to know. */
function rootText(session: HandoffSession, settings: CheckedSettings, platform: Platform): string {
  const { transcript } = session;
  const tag = referenceTag(referenceOf(session));
  const lines = sessionFacts(session).map(([name, value]) => `${name}: ${shorten(value)}`);
  const help = helpText(tag, settings, platform);
  // A half of the message is the transcript's.
  const head = [`${tag} A customer asks for a human`, ...lines]
    .join('\n')
    .slice(0, Math.max(0, platform.maxTextLength / 2 - help.length));
  // Escapes lengthen the text; what they add is bounded by what is left of the platform's limit, or they are left out.
  const maxLength = platform.maxTextLength - head.length - help.length - 4;
  return [head, transcriptText(transcript, { maxLength }), help].filter((part) => part !== '').join('\n\n');
}

function helpText(
  tag: string,
  { closeWords, insidePrefix }: CheckedSettings,
  { hasThreads }: Platform,
): string {
  const how = hasThreads
    ? 'Reply in this thread.'
    : `Answer with the reply function, or begin with ${tag.slice(1, -1)}.`;
  return `${how} Messages that begin with ${insidePrefix} are internal. ${closeWords.join(' or ')} as the last word closes the conversation.`;
}

const shorten = (text: string): string => (text.length <= 130 ? text : `${text.slice(0, 129)}…`);
