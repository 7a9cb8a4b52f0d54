import type { Command } from 'commander';
import { createColors } from 'picocolors';
import type { PlatformHealth, UnavailableReason } from '../../client/index.js';
import { untilStopSignal } from '../../standalone/index.js';
import { parseDuration } from '../flags.js';
import { EXIT, type Output, print } from '../output.js';
import { addPlatformFlags, type PlatformFlags, runWithPlatform } from '../platform-flags.js';

type HealthFlags = PlatformFlags & { readonly watch?: boolean; readonly interval?: number };

const MORE_HELP = `
It needs no key: the health of the platform is public.

Examples:
  $ handoff-kit health --platform-base-url https://api.example.com
  $ handoff-kit health --platform-base-url https://api.example.com --watch

Exit codes: 0 the platform is available, 1 it is not (with --watch: when it was stopped), 2 wrong use`;

const REASONS: Readonly<Record<UnavailableReason, string>> = {
  status: 'it answered with another status than 200',
  body: 'it answered 200, but not with the text of a working platform',
  timeout: 'it did not answer in time',
  unreachable: 'it cannot be reached',
  lost: 'the connection broke before the answer was complete',
};

/** `health`: whether the platform is available. */
export function define(command: Command): void {
  command
    .description('Checks whether the webhook part of the platform is available.')
    .option('--watch', 'check repeatedly and report changes until stopped (Ctrl-C)')
    .option(
      '--interval <time>',
      'with --watch: the time between two checks; default 20s, as recommended',
      parseDuration,
    );
  addPlatformFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(flags: HealthFlags): Promise<void> {
  const { timeout: timeoutMs, interval: intervalMs } = flags;
  // The health request carries no key, but the client requires one.
  return runWithPlatform({ ...flags, platformApiKey: 'none' }, async ({ webhooks }, output) => {
    if (!flags.watch) {
      const health = await webhooks.health({ timeoutMs });
      report(health, output);
      return exitCodeOf(health);
    }
    const watch = webhooks.watch({ timeoutMs, intervalMs, onChange: (health) => report(health, output) });
    await untilStopSignal();
    watch.stop();
    return exitCodeOf(watch.current);
  });
}

const exitCodeOf = (health: PlatformHealth | null): number => (health?.available ? EXIT.ok : EXIT.no);

function report(health: PlatformHealth, output: Output): void {
  const { green, red, dim } = createColors(output.colours);
  const time = new Date();
  const { available, status, latencyMs, reason } = health;
  const figures = `${status === null ? 'no answer' : `HTTP ${status}`}, ${latencyMs} ms`;
  const state = available ? green('available') : red(`UNAVAILABLE: ${REASONS[reason ?? 'status']}`);
  const text = `${dim(time.toTimeString().slice(0, 8))}  ${state} (${figures})`;
  print(output, { time: time.toISOString(), ...health }, text);
}
