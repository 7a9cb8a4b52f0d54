import { SERVICE_CODES } from '../protocol/index.js';
import type { HandoffConversation, RecordedExchange } from '../simulator/index.js';

/** What a piece of advice is drawn from. */
export interface Situation {
  readonly conversation: HandoffConversation | null;
  readonly exchanges: readonly RecordedExchange[];
  /** The names of the faults that are on. */
  readonly faults: readonly string[];
}

const TO_THE_RECEIVER: Readonly<Record<number, string>> = {
  400: 'the receiver does not take the body: its answer names the fields.',
  401: 'the receiver does not take the credentials: hand it the options that the bench gives, or tell the bench the username, secret and token that it expects.',
  404: 'the receiver has nothing at that path: tell the bench its path, and its token if it has one.',
  500: "a handler threw: register receiver.onError, or look at the receiver's log.",
  503: 'the receiver takes nothing at the moment: look at its admit gate, and at whether it was closed.',
};

const TO_THE_SERVICE: Readonly<Record<number, string>> = {
  [SERVICE_CODES.PARAMETER_ERROR]: 'the receiver called the service with a wrong body: the answer names it.',
  [SERVICE_CODES.AUTHENTICATION_FAILED]:
    'the receiver called with a key that the service does not know: give it the baseUrl and apiKey of bench.service.',
  [SERVICE_CODES.CONVERSATION_NOT_FOUND]:
    'the receiver replied to a conversation that is over or never was: pass on the conversation_id as it came.',
};

/** What to look at next, most telling first. */
export function adviceFor({ conversation, exchanges, faults }: Situation): string[] {
  const advice = [
    onFaults(faults),
    onDeliveries(exchanges),
    onCalls(exchanges),
    onState(conversation),
  ].filter((text) => text !== null);
  return advice.length > 0 ? advice : [onSilence(exchanges)];
}

function onFaults(faults: readonly string[]): string | null {
  if (faults.length === 0) return null;
  const held = faults.includes('delay') || faults.includes('reorder');
  const wait = held ? ' What is held back waits for bench.clock.advance().' : '';
  return `faults are on: ${faults.join(', ')}. bench.faults.clear() ends them.${wait}`;
}

/** The last of the handoff's own deliveries counts: an earlier failure was overcome. */
function onDeliveries(exchanges: readonly RecordedExchange[]): string | null {
  const last = exchanges.findLast(isOfHandoff);
  if (!last || last.answer?.status === 200) return null;
  if (!last.answer)
    return `the receiver has not answered ${last.what}: ${last.error ?? 'its handlers may still run'}.`;
  const { status } = last.answer;
  return TO_THE_RECEIVER[status] ?? `the receiver answered ${last.what} with ${status}, and only 200 counts.`;
}

function onCalls(exchanges: readonly RecordedExchange[]): string | null {
  const last = exchanges.findLast(({ direction }) => direction === 'received');
  if (!last || last.answer?.status === 200) return null;
  const code = Number(/"code":(\d+)/.exec(last.answer?.body ?? '')?.[1]);
  return TO_THE_SERVICE[code] ?? `the service did not take the last ${last.what}: see its answer above.`;
}

function onState(conversation: HandoffConversation | null): string | null {
  if (conversation?.endedBy === 'timeout')
    return 'the wait timeout passed without a reply: set a greeting, or reply before the clock is advanced.';
  if (conversation?.endedBy)
    return `the ${conversation.endedBy} ended it: ask again with bench.requestHandoff().`;
  return null;
}

function onSilence(exchanges: readonly RecordedExchange[]): string {
  if (exchanges.length === 0) return 'nothing was sent yet: begin with await bench.requestHandoff().';
  const sinceLast = exchanges.slice(exchanges.findLastIndex(isOfHandoff));
  if (sinceLast.some(({ direction }) => direction === 'received'))
    return 'each reply is returned once: those that came before are in bench.replies.';
  return 'the receiver took the last delivery and has called nothing since: does its handler reply(), and to bench.service?';
}

function isOfHandoff({ direction, what }: RecordedExchange): boolean {
  return direction === 'sent' && (what === 'establish' || what === 'chat' || what === 'close');
}
