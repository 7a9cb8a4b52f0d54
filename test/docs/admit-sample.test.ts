import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Receiver } from '../../src/public/index.js';
import { establishBody } from '../fixtures/bodies.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { programsIn } from './pages.js';
import { readersFolder } from './reader.js';

/** `inject` leaves gates out, so programs.test.ts does not try this one. */
it('the gate of docs/events.md refuses handoffs until nine', async () => {
  const program = programsIn('docs/events.md').find(({ parts }) => parts.join('').includes('.admit('));
  const { options, came } = await fakePlatform();
  const code = (program?.parts.join('') ?? '').replace('https://api.example.com', options.baseUrl);
  const script = join(readersFolder(), 'program.js');
  const source = `${code}\nexport { receiver };\n`;
  writeFileSync(script, (await transformWithOxc(source, 'program.ts', { sourcemap: false })).code);
  const { receiver }: { receiver: Receiver } = await import(/* @vite-ignore */ pathToFileURL(script).href);
  onTestFinished(async () => {
    vi.useRealTimers();
    await receiver.close();
  });

  const askAt = async (time: string): Promise<unknown[]> => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(`2026-03-02T${time}Z`) });
    const answer = await receiver.fetch(
      new Request('http://localhost/conversation/establish', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(establishBody()),
      }),
    );
    const { message } = (await answer.json()) as { message: unknown };
    return [answer.status, message];
  };
  expect(await askAt('08:59:59')).toEqual([503, 'We are closed until 9:00']);
  expect(await askAt('09:00:00')).toEqual([200, 'success']);
  await came(1);
});
