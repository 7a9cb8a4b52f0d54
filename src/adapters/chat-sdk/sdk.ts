/**
 * The parts of the Vercel Chat SDK (npm `chat`) that this adapter uses. Written out, so that nothing here loads the SDK
 * or its types: the application creates the `Chat`.
 *
 * @module
 */

/** A `Chat` of the SDK. */
export interface ChatInstance {
  readonly webhooks: Readonly<Record<string, SdkWebhook>>;
  initialize(): Promise<void>;
  getAdapter(name: string): PlatformAdapter;
  channel(channelId: string): SdkChannel;
  thread(threadId: string): SdkThread;
  onSubscribedMessage(handler: SdkMessageHandler): void;
  onNewMention(handler: SdkMessageHandler): void;
  onNewMessage(pattern: RegExp, handler: SdkMessageHandler): void;
}

/** Handles a webhook of a platform. */
export type SdkWebhook = (
  request: Request,
  options?: {
    /** Gets the work that the SDK does not wait for before it answers. */
    readonly waitUntil?: (task: Promise<unknown>) => void;
    /** `false`: a message that failed before is handled again. */
    readonly deduplicate?: boolean;
    /** Whether failed handlers reject the tasks of `waitUntil`. */
    readonly propagateHandlerErrors?: boolean;
  },
) => Promise<Response>;

/** Called with each message of a human or of another bot; the SDK drops the bot's own. */
export type SdkMessageHandler = (
  thread: SdkThread,
  message: SdkMessage,
  /** With a concurrency that makes messages wait: those that are left to the handler of this one, oldest first. */
  context?: { readonly skipped: readonly SdkMessage[] },
) => Promise<void>;

/** The adapter of the SDK for one platform. */
export interface PlatformAdapter {
  /** The name of the platform, such as `teams`. */
  readonly name: string;
  readonly userName: string;
  readonly botUserId?: string | undefined;
  /** `channel` on platforms whose chats have no threads. */
  readonly lockScope?: string | undefined;
  channelIdFromThreadId(threadId: string): string;
  postMessage(threadId: string, message: { readonly raw: string }): Promise<SdkPosted>;
  postChannelMessage?(channelId: string, message: { readonly raw: string }): Promise<SdkPosted>;
  fetchThread(threadId: string): Promise<{ readonly channelName?: string | undefined }>;
  fetchChannelInfo?(channelId: string): Promise<{ readonly name?: string | undefined }>;
  isDM?(threadId: string): boolean;
}

/** A channel, or a group or direct chat on platforms without channels. */
export interface SdkChannel {
  /** Newest first. */
  readonly messages: AsyncIterable<SdkMessage>;
}

/** A thread, or the channel itself on platforms without threads. */
export interface SdkThread {
  subscribe(): Promise<void>;
  unsubscribe(): Promise<void>;
}

/** A message that the SDK has posted. */
export interface SdkPosted {
  readonly id: string;
  readonly threadId: string;
  /** As the platform returned it. */
  readonly raw: unknown;
}

/** A message, in the SDK's form for all platforms. */
export interface SdkMessage {
  readonly id: string;
  readonly threadId: string;
  readonly text: string;
  /** The root of a Markdown syntax tree (mdast). */
  readonly formatted: SdkNode;
  /** As the platform sent it. */
  readonly raw: unknown;
  readonly author: {
    readonly userName: string;
    readonly fullName: string;
    readonly isBot: boolean | 'unknown';
    readonly isMe: boolean;
    readonly isSystem?: boolean | undefined;
  };
  readonly metadata: { readonly dateSent: Date; readonly edited: boolean };
  readonly attachments: readonly SdkAttachment[];
  readonly replyTo?: { readonly text: string } | undefined;
}

/** A file, an image, a recording. */
export interface SdkAttachment {
  readonly type: string;
  readonly name?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly url?: string | undefined;
}

/** A node of the syntax tree. */
export interface SdkNode {
  readonly type: string;
}
