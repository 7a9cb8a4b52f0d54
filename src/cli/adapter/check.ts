import { createColors } from 'picocolors';
import type { AdapterCheckResult } from '../../bridge/index.js';
import { silentLog } from '../../internal/index.js';
import { printable, readAdapter, type SettingKey } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import { print } from '../run-command.js';
import { table } from '../table.js';

/** What the command line says of an adapter. */
export type AdapterFlags = Readonly<Partial<Record<SettingKey, string>>> & { readonly config?: string };

/** How long a check may take as a whole. */
const CHECK_WITHIN_MS = 60_000;

/** Asks the human-service system that settings name whether everything is set up, and shows what it found. */
export async function checkAdapter({ config, ...flags }: AdapterFlags, output: Output): Promise<number> {
  const adapter = await readAdapter({ flags, env: process.env, configFile: config });
  try {
    const signal = AbortSignal.timeout(CHECK_WITHIN_MS);
    const results = await adapter.check({ signal, log: silentLog });
    const ok = results.every((result) => result.ok);
    print(output, { ok, adapter: adapter.name, results }, textOf(results, output.colours));
    return ok ? EXIT.ok : EXIT.no;
  } finally {
    await adapter.dispose?.();
  }
}

function textOf(results: readonly AdapterCheckResult[], colours: boolean): string {
  const { green, red } = createColors(colours);
  const rows = results.map(({ ok, name, detail }) => [ok ? 'ok' : 'NOT OK', name, detail].map(printable));
  return table(rows)
    .split('\n')
    .map((line, index) => (results[index]?.ok ? green(line) : red(line)))
    .join('\n');
}
