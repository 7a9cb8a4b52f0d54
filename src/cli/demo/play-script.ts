import { HandoffKitError } from '../../internal/index.js';
import type { RecordedExchange } from '../../simulator/index.js';
import { type ExchangeRecord, recordOf } from './exchange-record.js';
import { followTraffic } from './follow-traffic.js';
import { type Act, type Said, SCRIPT } from './script.js';
import type { Demo } from './start-demo.js';

/** One step of the script, played. */
export interface PlayedStep {
  readonly step: number;
  readonly conversation: string;
  readonly name: string;
  readonly explanation: string;
  readonly said: readonly Said[];
  readonly exchanges: readonly ExchangeRecord[];
  /** What went wrong; empty when all is well. */
  readonly problems: readonly string[];
}

/** How the play went. */
export interface PlayedScript {
  readonly ok: boolean;
  readonly steps: number;
  readonly requests: number;
  /** What went wrong; empty when all is well. */
  readonly problems: readonly string[];
}

type KindOfExchange = `${RecordedExchange['direction']} ${RecordedExchange['what']}`;

const kindOf = ({ direction, what }: RecordedExchange): KindOfExchange => `${direction} ${what}`;

/** Plays every conversation of the script, telling of each step, and stops where something goes wrong. */
export async function playScript(
  { simulator }: Pick<Demo, 'simulator'>,
  tell: (step: PlayedStep) => void,
): Promise<PlayedScript> {
  let waiting: RecordedExchange[] = [];
  const follower = followTraffic(simulator.traffic, (exchange) => {
    waiting.push(exchange);
  });
  let steps = 0;
  let requests = 0;
  const result = (problems: readonly string[]): PlayedScript => ({
    ok: problems.length === 0,
    steps,
    requests,
    problems,
  });

  /** Takes the exchanges of some kinds; what belongs to a later step may have come already, and stays. */
  const take = (kinds: readonly KindOfExchange[]): RecordedExchange[] => {
    const taken = waiting.filter((exchange) => kinds.includes(kindOf(exchange)));
    waiting = waiting.filter((exchange) => !taken.includes(exchange));
    requests += taken.length;
    return taken;
  };

  for (const { title, acts } of SCRIPT) {
    await simulator.customer.restart();
    for (const { name, explanation, shows, act } of acts) {
      steps += 1;
      const { said, problems } = await attempt(() => act(simulator));
      await simulator.idle();
      await follower.settled();
      const exchanges = take(shows);
      const played: PlayedStep = {
        step: steps,
        conversation: title,
        name,
        explanation,
        said,
        exchanges: exchanges.map(recordOf),
        problems: [...problems, ...problemsOf(exchanges, shows)],
      };
      tell(played);
      if (played.problems.length > 0) return result(played.problems);
    }
  }
  return result(waiting.map((exchange) => `a request came that no step expects: ${kindOf(exchange)}`));
}

async function attempt(act: () => ReturnType<Act['act']>): Promise<Pick<PlayedStep, 'said' | 'problems'>> {
  try {
    return { said: await act(), problems: [] };
  } catch (error) {
    if (!(error instanceof HandoffKitError)) throw error;
    return { said: [], problems: [error.message] };
  }
}

function problemsOf(exchanges: readonly RecordedExchange[], shows: readonly KindOfExchange[]): string[] {
  const miscounted = shows
    .map((kind) => ({ kind, count: exchanges.filter((exchange) => kindOf(exchange) === kind).length }))
    .filter(({ count }) => count !== 1)
    .map(({ kind, count }) => `expected this request once, and it came ${count} times: ${kind}`);
  const refused = exchanges
    .filter(({ answer }) => answer?.status !== 200)
    .map((exchange) => `expected the answer 200 to: ${kindOf(exchange)}`);
  return [...miscounted, ...refused];
}
