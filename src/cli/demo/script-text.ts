import { createColors } from 'picocolors';
import { printable } from '../../standalone/index.js';
import { createExchangeText } from './exchange-text.js';
import type { PlayedScript, PlayedStep } from './play-script.js';

/** Writes the play of a script as a transcript. */
export interface ScriptText {
  readonly opening: string;
  step(step: PlayedStep): string;
  end(played: PlayedScript): string;
}

/** Makes the writer. */
export function createScriptText(colours: boolean): ScriptText {
  const { bold, cyan, dim, green, red } = createColors(colours);
  const exchangeText = createExchangeText(colours);
  let conversation = '';

  const headOf = ({ conversation: title }: PlayedStep): string[] => {
    if (title === conversation) return [];
    conversation = title;
    return ['', bold(title), ''];
  };

  return {
    opening: [
      bold('A handoff between a simulated service and a receiver made with handoff-kit'),
      dim('→ the service sends to the receiver   ← the receiver calls the service'),
    ].join('\n'),
    step(played) {
      const { step, name, explanation, said, exchanges, problems } = played;
      return [
        ...headOf(played),
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
      return `\n${red(`Step ${steps} went wrong:`)} ${printable(problems.join('; '))}`;
    },
  };
}
