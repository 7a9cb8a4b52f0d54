import type { HandoffConversation, Simulator } from '../simulator/index.js';
import { adviceFor } from './advice.js';
import { TestBenchError, type TestBenchErrorCode } from './error.js';
import { exchangeLines } from './exchange-lines.js';

/** Exchanges that an error shows. */
const EXCHANGES_SHOWN = 12;

/** Makes an error that shows how things stand. */
export type Complain = (
  code: TestBenchErrorCode,
  problem: string,
  conversation: HandoffConversation | null,
  cause?: unknown,
) => TestBenchError;

/** Makes the maker of errors; `hide` takes secrets out of a text. */
export function createComplain(simulator: Simulator, hide: (text: string) => string): Complain {
  return (code, problem, conversation, cause) => {
    const exchanges = simulator.traffic.exchanges();
    const faults = Object.keys(simulator.faults.active());
    const shown = exchanges.slice(-EXCHANGES_SHOWN);
    const earlier = exchanges.length - shown.length;
    const lines = [
      problem,
      '',
      ...(conversation ? [stateOf(conversation), ''] : []),
      `What passed (→ to the receiver, ← to the service)${earlier > 0 ? `, after ${earlier} more` : ''}:`,
      ...(shown.length > 0 ? exchangeLines(shown, hide) : ['nothing']),
      '',
      'Look at:',
      ...adviceFor({ conversation, exchanges, faults }).map((advice) => `- ${advice}`),
    ];
    return new TestBenchError(code, lines.join('\n'), cause === undefined ? undefined : { cause });
  };
}

const MEANINGS: Readonly<Record<HandoffConversation['state'], string>> = {
  requesting: 'establish is on its way',
  connecting: 'establish was answered 200, the first reply has not come',
  connected: 'a human has replied',
  busy: 'establish was not answered 200, so the handoff never began',
  closed: 'it is over',
};

function stateOf({ id, state, endedBy, replies }: HandoffConversation): string {
  const meaning = endedBy
    ? `ended by ${endedBy === 'timeout' ? 'a timeout' : `the ${endedBy}`}`
    : MEANINGS[state];
  const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`;
  return `Conversation ${id} is ${state}: ${meaning}. ${count} so far.`;
}
