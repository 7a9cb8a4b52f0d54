import type { ResolvedAgent, ResolvedHumanService } from './agents.js';
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
import type { WebhookDelivery, WebhookSender } from './webhook-sender.js';

/**
 * Where a handoff stands. `requesting`: establish is on its way. `connecting`: it was answered 200 and the
 * first reply has not come. `connected`: a human replied. `busy`: establish was not answered 200. `closed`.
 */
export type HandoffState = 'requesting' | 'connecting' | 'connected' | 'busy' | 'closed';

/** A user handed over to a human, seen from the user's side. */
export interface HandoffConversation {
  /** The handoff's own id; the agent conversation has another. */
  readonly id: string;
  readonly agentId: string;
  readonly componentId: string;
  readonly agentConversationId: string;
  readonly user: SimulatedUser;
  readonly state: HandoffState;
  /** Who ended it: null while it lasts, and when it never began. */
  readonly endedBy: 'user' | 'human' | 'timeout' | null;
  /** What was delivered for it and has been answered, in that order. */
  readonly deliveries: readonly WebhookDelivery[];
  /** What the human said, in order. */
  readonly replies: readonly SimulatedReply[];
  /** The user says something; resolves when it was delivered. */
  say: (text: string) => Promise<WebhookDelivery>;
  /** The user leaves; resolves when the notice was delivered. */
  closeByUser: () => Promise<WebhookDelivery>;
  /** The first reply that no earlier call has returned; waits for it in real time (5 s by default). */
  nextReply: (options?: { timeoutMs?: number }) => Promise<SimulatedReply>;
  /** Tells of every change of state and every reply. */
  onChange: (listener: (conversation: HandoffConversation) => void) => () => void;
}

/** The same conversation from the inside of the service. */
export interface ConversationController {
  readonly handle: HandoffConversation;
  /** Sends establish and settles whether the handoff begins. */
  begin: (transcript: readonly TranscriptItem[]) => Promise<void>;
  /** A human's reply (4.9); false when the conversation does not take any. */
  receive: (text: string, timestamp: number) => boolean;
  /** The human ends it (4.10); false when there is nothing to end. */
  closeByHuman: () => boolean;
  /** Forgets its timers. */
  dispose: () => void;
}

/** Everything a conversation needs. */
export interface ConversationOptions {
  id: string;
  agent: ResolvedAgent;
  component: ResolvedHumanService;
  agentConversationId: string;
  user: SimulatedUser;
  clock: Clock;
  deliver: WebhookSender['deliver'];
  deliveryTimeoutMs: number;
  waitTimeoutMs: number;
  idleTimeoutMs: number | undefined;
}

/**
 * Lives one handoff.
 *
 * A reply or a close may come while establish is still on its way, since a receiver may answer the user from
 * within its handler. Both are kept until establish is answered: a 200 makes them happen, in the order they
 * came; any other answer means that the handoff never began, and they are dropped.
 */
export function createConversation(options: ConversationOptions): ConversationController {
  const { id, agent, component, clock, user } = options;
  const changed = createEmitter<HandoffConversation>();
  const box = createReplyQueue(() => `conversation ${id} is ${state}`);
  const deliveries: WebhookDelivery[] = [];
  const early: SimulatedReply[] = [];
  let state: HandoffState = 'requesting';
  let endedBy: HandoffConversation['endedBy'] = null;
  let refused = false;
  let closedEarly = false;
  let lastTimestamp = 0;
  let timer: ClockTimer | undefined;

  // Nobody types twice in a millisecond: without this, two equal messages would look like one sent twice.
  const timestamp = () => {
    lastTimestamp = Math.max(clock.now(), lastTimestamp + 1);
    return lastTimestamp;
  };

  const become = (next: HandoffState) => {
    state = next;
    changed.emit(handle);
  };

  const startTimer = (ms: number | undefined) => {
    clock.clearTimeout(timer);
    if (ms !== undefined) timer = clock.setTimeout(() => void end('timeout'), ms);
  };

  const send = (event: 'establish' | 'chat' | 'close', body: object): Promise<WebhookDelivery> =>
    options.deliver({
      event,
      url: handoffUrl(component.url, event),
      body,
      credentials: component,
      timeoutMs: options.deliveryTimeoutMs,
      queueKey: id,
      skipReason: () => (refused ? 'the handoff was not accepted' : null),
      onResult: (delivery) => {
        deliveries.push(delivery);
        if (event === 'establish') refused = !delivery.accepted;
      },
    });

  const finish = (by: 'user' | 'human' | 'timeout') => {
    clock.clearTimeout(timer);
    endedBy = by;
    become('closed');
    box.end();
  };

  const end = (by: 'user' | 'timeout') => {
    finish(by);
    return send('close', closeBody(id, timestamp(), by === 'user' ? 'USER_CLOSED' : 'TIMEOUT'));
  };

  const show = (reply: SimulatedReply) => {
    startTimer(options.idleTimeoutMs);
    state = 'connected';
    box.add(reply);
    changed.emit(handle);
  };

  const isOver = () => state === 'busy' || state === 'closed';
  const assertOpen = () => {
    if (isOver()) {
      const why = endedBy ? `closed by ${endedBy === 'timeout' ? 'a timeout' : `the ${endedBy}`}` : 'refused';
      throw new SimulatorError(
        'CONVERSATION_OVER',
        `conversation ${id} was ${why}; ask for a human again with requestHandoff()`,
      );
    }
  };

  const handle: HandoffConversation = {
    id,
    agentId: agent.id,
    componentId: component.componentId,
    agentConversationId: options.agentConversationId,
    user,
    get state() {
      return state;
    },
    get endedBy() {
      return endedBy;
    },
    deliveries,
    replies: box.replies,
    async say(text) {
      assertOpen();
      if (state === 'connected') startTimer(options.idleTimeoutMs);
      return send('chat', chatBody(id, timestamp(), text));
    },
    async closeByUser() {
      assertOpen();
      return end('user');
    },
    nextReply: box.next,
    onChange: changed.subscribe,
  };

  return {
    handle,
    async begin(transcript) {
      const body = establishBody({
        conversationId: id,
        timestamp: timestamp(),
        agentId: agent.id,
        user,
        transcript,
      });
      await send('establish', body);
      if (state !== 'requesting') return;
      if (refused) {
        become('busy');
        box.end();
        return;
      }
      startTimer(options.waitTimeoutMs);
      become('connecting');
      for (const reply of early) show(reply);
      if (closedEarly) finish('human');
    },
    receive(text, sentAt) {
      if (isOver() || closedEarly) return false;
      const reply = { text, timestamp: sentAt, receivedAt: clock.now() };
      if (state === 'requesting') early.push(reply);
      else show(reply);
      return true;
    },
    closeByHuman() {
      if (isOver() || closedEarly) return false;
      if (state === 'requesting') closedEarly = true;
      else finish('human');
      return true;
    },
    dispose: () => clock.clearTimeout(timer),
  };
}
