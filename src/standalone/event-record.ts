import type { EventName, HandlerContexts } from '../events/index.js';

/** What is told of an event. What people wrote is in it only where that was asked for. */
export interface EventRecord {
  readonly time: string;
  readonly event: EventName;
  readonly requestId: string;
  readonly conversationId?: string;
  /** Who it is about, by an id. */
  readonly who?: string;
  /** How many characters were written. */
  readonly length?: number;
  /** What else there is to say of it. */
  readonly detail?: string;
  /** What was written. */
  readonly text?: string;
}

type Particulars = Pick<EventRecord, 'who' | 'length' | 'detail' | 'text'>;

/** Takes from an event what is to be told. */
export function recordOf(context: HandlerContexts[EventName], showText: boolean): EventRecord {
  const { text, ...rest } = particularsOf(context);
  return {
    time: context.receivedAt.toISOString(),
    event: context.event,
    requestId: context.requestId,
    ...('conversationId' in context && { conversationId: context.conversationId }),
    ...rest,
    ...(showText && text !== undefined && { text }),
  };
}

function particularsOf(context: HandlerContexts[EventName]): Particulars {
  if (context.event === 'message') {
    const { user_id, anonymous_id } = context.payload;
    return { who: user_id ?? anonymous_id ?? 'nobody named', ...written(context.text) };
  }
  if (context.event === 'handoff.requested') {
    const { transcript, user } = context;
    const earlier = transcript.map(({ from, text }) => `${from}: ${text}`).join('\n');
    return {
      who: user.key,
      detail: `${transcript.length} earlier ${transcript.length === 1 ? 'message' : 'messages'}`,
      text: earlier,
    };
  }
  if (context.event === 'handoff.message') return { who: 'the user', ...written(context.payload.body) };
  if (context.event === 'handoff.closed') return { detail: context.payload.type ?? 'no reason given' };
  return { detail: `test of ${context.payload.endpoint}` };
}

const written = (text: string): Particulars => ({ length: text.length, text });
