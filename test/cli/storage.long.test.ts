import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../standalone/databases.js';
import { runCli } from './run-cli.js';
import { keepSaying, serverOn, WAIT_OPTIONS } from './storage-server.js';

it('a server on a backup, copied while a server writes, handles what waited', async () => {
  const folder = temporaryFolder();
  const { env, say, platform } = await serverOn(join(folder, 'handoff.db'), () => 'silence');
  const waiting = await Promise.all(Array.from({ length: 20 }, (_, count) => say(`waiting ${count}`)));
  keepSaying(say);
  await vi.waitFor(() => expect(platform.calls.length).toBeGreaterThan(0), WAIT_OPTIONS);
  const copy = join(folder, 'copy.db');
  expect(await runCli(['backup', copy, '--json'], { env })).toMatchObject({ code: 0, stderr: '' });

  // The server that the copy was made of still runs, so its claims are only known to be void after their lease.
  const restored = await serverOn(copy);
  await vi.waitFor(() => {
    const answered = restored.platform.calls.map(({ text }) => text);
    expect(answered).toEqual(expect.arrayContaining(waiting));
  }, WAIT_OPTIONS);
});
