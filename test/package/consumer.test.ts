import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asHere, packedFolder, run } from './installed.js';

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

describe('the package in an empty folder, beside other packages', () => {
  // Consumers do not inherit the overrides of package.json: the newest versions that fit are installed.
  it('installs with pg-boss and vitest, whose tests run', { timeout: 600_000 }, () => {
    const { folder, tarball } = packedFolder();
    run(
      'npm',
      ['install', '--silent', '--no-audit', '--no-fund', tarball, 'pg-boss', asHere('vitest')],
      folder,
    );
    expect(run('npm', ['ls', 'handoff-kit', 'pg-boss', 'vitest'], folder)).not.toMatch(/invalid|UNMET/);
    writeFileSync(join(folder, 'receiver.test.js'), TEST);
    expect(run('npx', ['vitest', 'run'], folder)).toContain('1 passed');
  });
});
