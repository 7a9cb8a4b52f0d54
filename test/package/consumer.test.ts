import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../helpers/requirement.js';
import { packageTools, run } from './installed.js';
import { openRegistry, type Registry, takesNewest } from './registry.js';

const TEST = `
import * as pgBoss from 'pg-boss';
import { createReceiver } from 'handoff-kit';
import { createTestBench } from 'handoff-kit/testing';
import { expect, it } from 'vitest';

it('answers a user', async () => {
  const bench = await createTestBench({
    receiver: (options) =>
      createReceiver(options)
        .on('handoff.requested', ({ reply }) => reply('Hello'))
        .on('handoff.message', ({ text, reply }) => reply('You said: ' + text)),
  });
  await bench.requestHandoff();
  expect((await bench.nextReply()).text).toBe('Hello');
  await bench.say('hello');
  expect((await bench.nextReply()).text).toBe('You said: hello');
  await bench.close();
  expect(Object.keys(pgBoss)).not.toEqual([]);
});
`;

/** An empty project, and the variables with which npm installs packages into it. */
async function emptyProject(): Promise<{ readonly folder: string; readonly env: Registry['env'] }> {
  const registry = await openRegistry();
  onTestFinished(() => registry.close());
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-consumer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  return { folder, env: registry.env };
}

describeWith(packageTools('the package beside other packages'))(
  'the package in an empty folder, beside other packages',
  () => {
    it('installs with pg-boss and vitest, whose tests run', { timeout: 300_000 }, async () => {
      const { folder, env } = await emptyProject();
      await run('npm', ['install', 'handoff-kit', 'pg-boss', 'vitest@4'], folder, env);
      expect(await run('npm', ['ls', 'handoff-kit', 'pg-boss', 'vitest'], folder)).not.toMatch(
        /invalid|UNMET/,
      );
      writeFileSync(join(folder, 'receiver.test.js'), TEST);
      expect(await run('npx', ['vitest', 'run'], folder)).toContain('1 passed');
    });

    it.skipIf(takesNewest)('takes no package from elsewhere than the lock files', async () => {
      const { folder, env } = await emptyProject();
      await expect(run('npm', ['install', 'left-pad'], folder, env)).rejects.toThrow(
        /left-pad - no lock file of .* has it/,
      );
    });
  },
);
