import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { freePort } from '../helpers/free-port.js';
import { describeWith } from '../helpers/requirement.js';
import { environment, packageTools, ROOT, run, TOOLS } from './installed.js';
import { openRegistry, type Registry, takesNewest } from './registry.js';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

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

    it('installs with pnpm in strict mode by the line of the README, whose sample answers a user', {
      timeout: 300_000,
    }, async () => {
      const { folder, env } = await emptyProject();
      // Nothing is found that the project does not name itself.
      const npmrc = 'node-linker=isolated\nhoist=false\nstrict-peer-dependencies=true\n';
      writeFileSync(join(folder, '.npmrc'), npmrc);
      const own = Object.fromEntries(
        ['cache', 'state', 'store'].map((name) => [`npm_config_${name}_dir`, join(folder, `.${name}`)]),
      );
      const [, packages = ''] = /^npm install (.*)$/m.exec(README) ?? [];
      const pnpm = join(TOOLS, 'pnpm/bin/pnpm.cjs');
      await run(process.execPath, [pnpm, 'add', ...packages.split(' ')], folder, { ...env, ...own });

      const [, sample = ''] = /^```ts run\n(.*?)^```$/ms.exec(README) ?? [];
      const [, settings = ''] = /^```ini \.env\n(.*?)^```$/ms.exec(README) ?? [];
      const { HANDOFF_TOKEN, PLATFORM_API_KEY = '', ...others } = parseEnv(settings);
      const simulator = createSimulator({ bots: [{ id: 'bot', apiKey: PLATFORM_API_KEY }] });
      onTestFinished(() => simulator.close());
      const variables = {
        ...others,
        HANDOFF_TOKEN,
        PLATFORM_API_KEY,
        PLATFORM_BASE_URL: await simulator.listen(),
      };
      const PORT = String(await freePort());
      writeFileSync(join(folder, 'server.mjs'), sample);
      const child = spawn(process.execPath, ['server.mjs'], {
        cwd: folder,
        env: { ...environment(), ...variables, PORT },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await new Promise<void>((listening, failed) => {
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          if (text.includes('Listening on')) listening();
        });
        child.once('exit', (code) => failed(new Error(`it ended with ${code}`)));
      });
      const url = `http://127.0.0.1:${PORT}/webhook/${HANDOFF_TOKEN}`;
      simulator.bots.update('bot', { humanServices: [{ componentId: 'desk', url }] });
      const handoff = await simulator.requestHandoff();
      await handoff.say('Where is it?');
      expect((await handoff.nextReply()).text).toBe('You said: Where is it?');
    });

    it.skipIf(takesNewest)('takes no package from elsewhere than the lock files', async () => {
      const { folder, env } = await emptyProject();
      await expect(run('npm', ['install', 'left-pad'], folder, env)).rejects.toThrow(
        /left-pad - no lock file of .* has it/,
      );
    });
  },
);
