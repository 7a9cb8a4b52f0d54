import type { Log } from '../logging/index.js';
import { agentMessage, messageAudio, messageText, toDate } from '../protocol/index.js';
import type { DeliveredEvent, DeliveredName, EventPayloads } from './catalog.js';
import type { Acting, AdmitContext, DeliveredHappening, HandlerContexts } from './handler.js';
import type { Replies } from './replies.js';
import { transcriptOf } from './transcript.js';
import { userOf } from './user.js';

/** What the argument of a handler is built from. */
export interface ContextParts {
  /** Where replies go. */
  readonly replies: Replies;
  /** The logger whose children handlers get. */
  readonly log: Log;
  /** How long the service waits for a first reply. */
  readonly waitTimeoutMs: number;
  /** Hears of the payload when it is first looked at. */
  readonly onPayload: <Name extends DeliveredName>(name: Name, payload: EventPayloads[Name]) => void;
}

/** One run of an event's handlers. */
export interface Run {
  /** Which attempt this is, from 1. */
  readonly attempt: number;
  /** Aborts when the run is given up. */
  readonly signal: AbortSignal;
}

/** Computes a value the first time it is asked for: most handlers look at little of what they could have. */
function lazy<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

function happening<Name extends DeliveredName>(
  parts: ContextParts,
  event: DeliveredEvent<Name>,
  run: Run,
  sentTime: number | null,
  payload: () => EventPayloads[Name],
): DeliveredHappening<Name> {
  const { conversationId, requestId } = event;
  const name: Name = event.name;
  const log = lazy(() => parts.log.child({ event: name, conversationId, requestId }));
  const seen = lazy(() => {
    const value = payload();
    parts.onPayload(name, value);
    return value;
  });
  return {
    event: name,
    conversationId,
    requestId,
    receivedAt: new Date(event.receivedAt),
    sentAt: sentTime === null ? null : toDate(sentTime),
    attempt: run.attempt,
    get payload() {
      return seen();
    },
    get log() {
      return log();
    },
    get signal() {
      return run.signal;
    },
  };
}

const acting = ({ replies }: ContextParts, conversationId: string): Acting => ({
  reply: (text, options) => replies.reply(conversationId, text, options),
  close: (options) => replies.close(conversationId, options),
});

const requested = (parts: ContextParts, event: DeliveredEvent<'handoff.requested'>) => ({
  user: userOf(event.body),
  transcript: transcriptOf(event.body),
  replyBy: new Date(event.receivedAt + parts.waitTimeoutMs),
});

type ContextBuilders = {
  [Name in DeliveredName]: (
    parts: ContextParts,
    event: DeliveredEvent<Name>,
    run: Run,
  ) => HandlerContexts[Name];
};

/** Builds the argument of each event's handlers. */
export const contextOf: ContextBuilders = {
  message(parts, event, run) {
    const base = happening(parts, event, run, event.body.create_time, () => agentMessage.parse(event.body));
    return Object.defineProperties(base, {
      text: { enumerable: true, get: () => messageText(base.payload) },
      audio: { enumerable: true, get: () => messageAudio(base.payload) },
    }) as HandlerContexts['message'];
  },
  'handoff.requested'(parts, event, run) {
    const base = happening(parts, event, run, event.body.timestamp, () => event.body);
    return Object.assign(base, acting(parts, event.conversationId), requested(parts, event));
  },
  'handoff.message'(parts, event, run) {
    const base = happening(parts, event, run, event.body.timestamp, () => event.body);
    return Object.assign(base, acting(parts, event.conversationId));
  },
  'handoff.closed'(parts, event, run) {
    return happening(parts, event, run, event.body.timestamp, () => event.body);
  },
};

const NOT_RUNNING: Run = { attempt: 1, signal: new AbortController().signal };

/** Builds what a gate sees: the request, and nothing that acts. */
export function admitContextOf(
  parts: ContextParts,
  event: DeliveredEvent<'handoff.requested'>,
): AdmitContext {
  const base = happening(parts, event, NOT_RUNNING, event.body.timestamp, () => event.body);
  return Object.assign(base, requested(parts, event));
}
