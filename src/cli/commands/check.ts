import type { Command } from 'commander';
import { createColors } from 'picocolors';
import { printable } from '../../internal/readable-log.js';
import type { WebhookCheckResult } from '../../protocol/index.js';
import { EXIT, print, table } from '../output.js';
import { addPlatformFlags, PLATFORM_HELP, type PlatformFlags, runWithPlatform } from '../platform-flags.js';

type CheckFlags = PlatformFlags & { readonly showUrls?: boolean };

const MORE_HELP = `${PLATFORM_HELP}

Parts of a URL that could be a token are hidden; --show-urls shows them.

Example:
  $ export PLATFORM_BASE_URL=https://api.example.com PLATFORM_API_KEY=…
  $ handoff-kit check && echo 'all reachable'

Exit codes: 0 every webhook is reachable, 1 one is not or the platform refused, 2 wrong use`;

/** `check`: makes the platform test the bot's webhooks. */
export function define(command: Command): void {
  command
    .description('Makes the platform test every webhook of the bot, and shows which it can reach.')
    .option('--show-urls', 'show whole URLs, with tokens that may be in them');
  addPlatformFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(flags: CheckFlags): Promise<void> {
  return runWithPlatform(flags, async (platform, output) => {
    const { results, unreadable } = await platform.webhooks.check();
    const shown = results.map((result) => ({
      ...result,
      webhook_url: flags.showUrls ? result.webhook_url : result.webhook_url && redactUrl(result.webhook_url),
    }));
    const ok = unreadable === 0 && results.every(({ reachable }) => reachable);
    const note = unreadable === 0 ? '' : `\n${unreadable} more could not be read.`;
    print(output, { ok, results: shown, unreadable }, textOf(shown, output.colours) + note);
    return ok ? EXIT.ok : EXIT.no;
  });
}

function textOf(results: readonly WebhookCheckResult[], colours: boolean): string {
  if (results.length === 0) return 'This bot has no webhooks.';
  const { green, red } = createColors(colours);
  const rows = results.map((result) => [
    result.reachable ? 'reachable' : 'UNREACHABLE',
    result.type,
    result.component_name ?? result.component_id ?? '',
    result.http_status ? `HTTP ${result.http_status}` : 'no answer',
    result.latency_ms === null ? '' : `${result.latency_ms} ms`,
    result.webhook_url ?? '',
  ]);
  const lines = table(rows.map((row) => row.map(printable))).split('\n');
  return lines.map((line, index) => (results[index]?.reachable ? green(line) : red(line))).join('\n');
}

/** The minimum length of a path token. Shorter segments cannot be one. */
const MIN_TOKEN_LENGTH = 16;

/** Hides the parts of a URL that could be a secret: credentials, long path segments, the query. */
export function redactUrl(url: string): string {
  const [, origin = '', path = '', query = ''] = /^([a-z]+:\/\/[^/?#]*)?([^?#]*)(.*)$/is.exec(url) ?? [];
  const redacted = path
    .split('/')
    .map((segment) => (segment.length < MIN_TOKEN_LENGTH ? segment : '***'))
    .join('/');
  return `${origin.replace(/\/\/.*@/, '//***@')}${redacted}${query === '' ? '' : '?***'}`;
}
