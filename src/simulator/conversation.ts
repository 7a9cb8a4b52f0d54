import type { ResolvedBot, ResolvedHumanService } from './bots.js';
import type { Clock, ClockTimer } from './clock.js';
import { createEmitter } from './emitter.js';
import { SimulatorError } from './error.js';
import { createReplyQueue, type SimulatedReply } from './reply-queue.js';
import {
  chatBody,
  closeBody,
  establishBody,
  type SimulatedUser,
  type TranscriptItem,
} from './sending/bodies.js';
import { handoffUrl } from './sending/post.js';
import type { SentWebhook, WebhookSender } from './webhook-sender.js';

/**
 * The state of a handoff, as the platform sees it.
 *
 * ```
 * requesting ──200──▶ connecting ──first reply──▶ connected
 *     │                   │                           │
 *  not 200          wait timeout,            idle timeout, close by
 *     ▼             close by either side          either side
 *   busy                  └──────────▶ closed ◀───────┘
 * ```
 *
 * - `requesting`: establish was sent and is not answered yet
 * - `connecting`: establish was answered 200; the first reply is pending
 * - `connected`: an agent has replied
 * - `busy`: establish was not answered 200, so the handoff never started
 * - `closed`: the user, an agent or a timeout ended it
 */
export type HandoffState = 'requesting' | 'connecting' | 'connected' | 'busy' | 'closed';

/** A handed-over conversation, driven from the user's side. */
export interface HandoffConversation {
  /** The handoff's id. The bot conversation has another id. */
  readonly id: string;
  readonly botId: string;
  readonly componentId: string;
  /** The id of the original bot conversation. */
  readonly botConversationId: string;
  readonly user: SimulatedUser;
  readonly state: HandoffState;
  /** The side that ended it; `null` if it is open or never started. */
  readonly endedBy: 'user' | 'agent' | 'timeout' | null;
  /** Completed deliveries, in order of completion. */
  readonly deliveries: readonly SentWebhook[];
  /** The agents' replies, in order. */
  readonly replies: readonly SimulatedReply[];
  /**
   * Sends a message as the user. Resolves to the receiver's answer.
   *
   * @example await conversation.say('Where is my parcel?')
   */
  say: (text: string) => Promise<SentWebhook>;
  /**
   * Closes the conversation as the user. Resolves to the receiver's answer.
   *
   * @example await conversation.closeByUser()
   */
  closeByUser: () => Promise<SentWebhook>;
  /**
   * Returns the next reply that no earlier call has returned, and waits for it up to `timeoutMs` of real time
   * (default 5 s).
   *
   * @example const { text } = await conversation.nextReply({ timeoutMs: 1_000 });
   */
  nextReply: (options?: { timeoutMs?: number }) => Promise<SimulatedReply>;
  /** Calls the listener on every change of state and every reply. The returned function removes it. */
  onChange: (listener: (conversation: HandoffConversation) => void) => () => void;
}

/** The platform's side of a {@link HandoffConversation}. */
export interface ConversationController {
  readonly handle: HandoffConversation;
  /** Sends establish. The answer decides whether the handoff starts. */
  begin: (transcript: readonly TranscriptItem[]) => Promise<void>;
  /** Accepts an agent's reply. Returns false if the conversation is not open. */
  receive: (text: string, timestamp: number) => boolean;
  /** Closes it as an agent. Returns false if it has already ended. */
  closeByAgent: () => boolean;
  dispose: () => void;
}

export interface ConversationOptions {
  id: string;
  bot: ResolvedBot;
  component: ResolvedHumanService;
  botConversationId: string;
  user: SimulatedUser;
  clock: Clock;
  deliver: WebhookSender['deliver'];
  deliveryTimeoutMs: number;
  waitTimeoutMs: number;
  idleTimeoutMs: number | undefined;
  earlyReplies: 'refuse' | 'keep';
}

/** Runs the lifecycle of one handoff. */
export function createConversation(options: ConversationOptions): ConversationController {
  const { id, bot, component, clock, user } = options;
  const changed = createEmitter<HandoffConversation>();
  const replyQueue = createReplyQueue(() => `conversation ${id} is ${state}`);
  const deliveries: SentWebhook[] = [];
  /** Calls that take effect once establish is answered 200. */
  const early: (() => void)[] = [];
  let state: HandoffState = 'requesting';
  let endedBy: HandoffConversation['endedBy'] = null;
  let isRefused = false;
  let isClosing = false;
  let lastTimestamp = 0;
  let timer: ClockTimer | undefined;

  // Strictly increasing: two equal messages within a millisecond would look like a duplicate delivery.
  const timestamp = () => {
    lastTimestamp = Math.max(clock.now(), lastTimestamp + 1);
    return lastTimestamp;
  };

  const setState = (next: HandoffState) => {
    state = next;
    changed.emit(handle);
  };

  const startTimer = (ms: number | undefined) => {
    clock.clearTimeout(timer);
    if (ms !== undefined) timer = clock.setTimeout(() => void end('timeout'), ms);
  };

  const send = (event: 'establish' | 'chat' | 'close', body: object): Promise<SentWebhook> =>
    options.deliver({
      event,
      url: handoffUrl(component.url, event),
      body,
      credentials: component,
      timeoutMs: options.deliveryTimeoutMs,
      queueKey: id,
      skipReason: () => (isRefused ? 'the handoff was not accepted' : null),
      onResult: (delivery) => {
        deliveries.push(delivery);
        if (event === 'establish') isRefused = !delivery.accepted;
      },
    });

  const finish = (by: 'user' | 'agent' | 'timeout') => {
    clock.clearTimeout(timer);
    endedBy = by;
    setState('closed');
    replyQueue.end();
  };

  const end = (by: 'user' | 'timeout') => {
    finish(by);
    return send('close', closeBody(id, timestamp(), by === 'user' ? 'USER_CLOSED' : 'TIMEOUT'));
  };

  const deliverReply = (reply: SimulatedReply) => {
    startTimer(options.idleTimeoutMs);
    state = 'connected';
    replyQueue.add(reply);
    changed.emit(handle);
  };

  const isEnded = () => state === 'busy' || state === 'closed';
  /** Applies a call of the receiver, now or later. Returns false if the platform refuses it. */
  const apply = (call: () => void): boolean => {
    if (isEnded() || isClosing) return false;
    if (state !== 'requesting') call();
    else if (options.earlyReplies === 'keep') early.push(call);
    else return false;
    return true;
  };
  const describeEnd = () => {
    if (endedBy) return `closed by ${endedBy === 'timeout' ? 'a timeout' : `the ${endedBy}`}`;
    const [establish] = deliveries;
    return `refused (${establish?.error ?? `establish was answered ${establish?.status}`})`;
  };
  const assertOpen = () => {
    if (!isEnded()) return;
    throw new SimulatorError(
      'CONVERSATION_OVER',
      `conversation ${id} was ${describeEnd()}; request another handoff with requestHandoff()`,
    );
  };

  const handle: HandoffConversation = {
    id,
    botId: bot.id,
    componentId: component.componentId,
    botConversationId: options.botConversationId,
    user,
    get state() {
      return state;
    },
    get endedBy() {
      return endedBy;
    },
    deliveries,
    replies: replyQueue.replies,
    async say(text) {
      assertOpen();
      if (state === 'connected') startTimer(options.idleTimeoutMs);
      return send('chat', chatBody(id, timestamp(), text));
    },
    async closeByUser() {
      assertOpen();
      return end('user');
    },
    nextReply: replyQueue.next,
    onChange: changed.subscribe,
  };

  return {
    handle,
    async begin(transcript) {
      const body = establishBody({
        conversationId: id,
        timestamp: timestamp(),
        botId: bot.id,
        user,
        transcript,
      });
      await send('establish', body);
      if (state !== 'requesting') return;
      if (isRefused) {
        setState('busy');
        replyQueue.end();
        return;
      }
      startTimer(options.waitTimeoutMs);
      setState('connecting');
      for (const call of early) call();
    },
    receive(text, sentAt) {
      const reply = { text, timestamp: sentAt, receivedAt: clock.now() };
      return apply(() => deliverReply(reply));
    },
    closeByAgent() {
      const isAccepted = apply(() => finish('agent'));
      if (state === 'requesting') isClosing = isAccepted;
      return isAccepted;
    },
    dispose: () => clock.clearTimeout(timer),
  };
}
