import { createColors } from 'picocolors';
import { HandoffKitError } from '../../internal/index.js';
import { printable } from '../../internal/readable-log.js';
import type { RecordedExchange } from '../../simulator/index.js';
import { createExchangeText, type ExchangeRecord, followTraffic, recordOf } from '../traffic.js';
import { type DemoStage, type ExchangeKind, SCRIPT, type ScriptStep, type SpokenLine } from './script.js';

/** The outcome of one step. */
export interface PlayedStep {
  readonly step: number;
  readonly conversation: string;
  readonly name: string;
  readonly explanation: string;
  readonly said: readonly SpokenLine[];
  readonly exchanges: readonly ExchangeRecord[];
  /** Empty when the step succeeded. */
  readonly problems: readonly string[];
}

/** The outcome of the whole script. */
export interface PlayedScript {
  readonly ok: boolean;
  readonly steps: number;
  readonly requests: number;
  /** Empty when the step succeeded. */
  readonly problems: readonly string[];
}

const kindOf = ({ direction, what }: RecordedExchange): ExchangeKind => `${direction} ${what}`;

/** Plays every conversation of the script and stops at the first step that fails. */
export async function playScript(demo: DemoStage, onStep: (step: PlayedStep) => void): Promise<PlayedScript> {
  const { simulator } = demo;
  let pending: RecordedExchange[] = [];
  const follower = followTraffic(simulator.traffic, (exchange) => {
    pending.push(exchange);
  });
  let steps = 0;
  let requests = 0;
  const result = (problems: readonly string[]): PlayedScript => ({
    ok: problems.length === 0,
    steps,
    requests,
    problems,
  });

  /** Takes the exchanges of a step. Those of a later step may have arrived already and stay pending. */
  const take = (kinds: readonly ExchangeKind[]): RecordedExchange[] => {
    const taken = pending.filter((exchange) => kinds.includes(kindOf(exchange)));
    pending = pending.filter((exchange) => !taken.includes(exchange));
    requests += taken.length;
    return taken;
  };

  for (const { title, steps: scripted } of SCRIPT) {
    await simulator.customer.restart();
    for (const { name, explanation, expects, run } of scripted) {
      steps += 1;
      const { said, problems } = await attempt(() => run(demo));
      await simulator.idle();
      await follower.settled();
      const exchanges = take(expects);
      const played: PlayedStep = {
        step: steps,
        conversation: title,
        name,
        explanation,
        said,
        exchanges: exchanges.map(recordOf),
        problems: [...problems, ...problemsOf(exchanges, expects)],
      };
      onStep(played);
      if (played.problems.length > 0) return result(played.problems);
    }
  }
  return result(pending.map((exchange) => `no step expects this request: ${kindOf(exchange)}`));
}

async function attempt(
  run: () => ReturnType<ScriptStep['run']>,
): Promise<Pick<PlayedStep, 'said' | 'problems'>> {
  try {
    return { said: await run(), problems: [] };
  } catch (error) {
    if (!(error instanceof HandoffKitError)) throw error;
    return { said: [], problems: [error.message] };
  }
}

function problemsOf(exchanges: readonly RecordedExchange[], expects: readonly ExchangeKind[]): string[] {
  const miscounted = expects
    .map((kind) => ({ kind, count: exchanges.filter((exchange) => kindOf(exchange) === kind).length }))
    .filter(({ count }) => count !== 1)
    .map(({ kind, count }) => `expected this request once, and it came ${count} times: ${kind}`);
  const refused = exchanges
    .filter(({ answer }) => answer?.status !== 200)
    .map((exchange) => `expected the answer 200 to: ${kindOf(exchange)}`);
  return [...miscounted, ...refused];
}

/** Formats the play as a transcript. */
export interface ScriptText {
  readonly opening: string;
  step(step: PlayedStep): string;
  end(played: PlayedScript): string;
}

export function createScriptText(colours: boolean): ScriptText {
  const { bold, cyan, dim, green, red } = createColors(colours);
  const exchangeText = createExchangeText(colours);
  let current = '';

  const titleLines = ({ conversation: title }: PlayedStep): string[] => {
    if (title === current) return [];
    current = title;
    return ['', bold(title), ''];
  };

  return {
    opening: [
      bold('A handoff between a simulated platform and a receiver made with handoff-kit'),
      dim('→ the platform sends to the receiver   ← the receiver calls the platform'),
    ].join('\n'),
    step(played) {
      const { step, name, explanation, said, exchanges, problems } = played;
      return [
        ...titleLines(played),
        `${String(step).padStart(2)}  ${cyan(name.padEnd(13))}  ${explanation}`,
        ...said.map(({ who, text }) => `      ${`${who}:`.padEnd(10)} ${printable(text)}`),
        ...exchanges.map((exchange) => `      ${exchangeText.short(exchange)}`),
        ...problems.map((problem) => red(`      wrong: ${printable(problem)}`)),
      ].join('\n');
    },
    end({ ok, steps, requests, problems }) {
      if (ok) {
        const all = `${steps} steps, ${requests} requests, every one answered 200.`;
        return `\n${green('Done:')} ${all} See it in a browser: handoff-kit demo`;
      }
      return `\n${red(`Step ${steps} failed:`)} ${printable(problems.join('; '))}`;
    },
  };
}
