import type { Command } from 'commander';
import { createColors } from 'picocolors';
import type { ServiceHealth, UnavailableReason } from '../../client/index.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import { parseTime } from '../parse-flags.js';
import { print } from '../run-command.js';
import { addServiceFlags, runWithService, type ServiceFlags } from '../service/service-flags.js';
import { untilSignal } from '../service/until-signal.js';

type HealthFlags = ServiceFlags & { readonly watch?: boolean; readonly interval?: number };

const MORE_HELP = `
No key is needed: the health of the service is open to everybody.

Examples:
  $ handoff-kit health --base-url https://api.example.com
  $ handoff-kit health --base-url https://api.example.com --watch

Exit codes: 0 the service is available, 1 it is not (with --watch: when it was stopped), 2 wrong use`;

const REASONS: Readonly<Record<UnavailableReason, string>> = {
  status: 'it answered with another status than 200',
  body: 'it answered 200, but not with the words of a working service',
  timeout: 'it did not answer in time',
  unreachable: 'it cannot be reached',
  lost: 'the connection broke before the answer was complete',
};

/** `health`: whether the service works. */
export function define(command: Command): void {
  command
    .description('Asks whether the webhook part of the service works.')
    .option('--watch', 'ask again and again, and tell of changes until it is stopped (Ctrl-C)')
    .option(
      '--interval <time>',
      'with --watch: from one question to the next; default 20s, as recommended',
      parseTime,
    );
  addServiceFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(flags: HealthFlags): Promise<void> {
  const { timeout: timeoutMs, interval: intervalMs } = flags;
  // The health probe sends no key, so any will do where none is set.
  return runWithService({ ...flags, apiKey: 'none' }, async ({ webhooks }, output) => {
    if (!flags.watch) {
      const health = await webhooks.health({ timeoutMs });
      tell(health, output);
      return codeOf(health);
    }
    const watch = webhooks.watch({ timeoutMs, intervalMs, onChange: (health) => tell(health, output) });
    await untilSignal();
    watch.stop();
    return codeOf(watch.current);
  });
}

const codeOf = (health: ServiceHealth | null): number => (health?.available ? EXIT.ok : EXIT.no);

function tell(health: ServiceHealth, output: Output): void {
  const { green, red, dim } = createColors(output.colours);
  const time = new Date();
  const { available, status, latencyMs, reason } = health;
  const figures = `${status === null ? 'no answer' : `HTTP ${status}`}, ${latencyMs} ms`;
  const words = available ? green('available') : red(`UNAVAILABLE: ${REASONS[reason ?? 'status']}`);
  const text = `${dim(time.toTimeString().slice(0, 8))}  ${words} (${figures})`;
  print(output, { time: time.toISOString(), ...health }, text);
}
