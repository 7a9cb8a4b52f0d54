import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTestBench } from '../../src/testing/index.js';
import { deferred } from '../helpers/deferred.js';
import { echoBench, echoReceiver } from './support.js';

const ROOT = resolve(import.meta.dirname, '../..');

const isReachable = (url: string) =>
  fetch(url, { method: 'POST' }).then(
    () => true,
    () => false,
  );

describe('closing the bench', () => {
  it('stops receiver and platform, and is idempotent', async () => {
    const { bench } = await echoBench();
    const { url, platform } = bench;
    expect([await isReachable(url), await isReachable(platform.baseUrl)]).toEqual([true, true]);
    expect(bench.close()).toBe(bench.close());
    await bench.close();
    expect([await isReachable(url), await isReachable(platform.baseUrl)]).toEqual([false, false]);
  });

  it('waits for a running handler and its reply', async () => {
    const entered = deferred();
    const mayFinish = deferred();
    const bench = await createTestBench({
      receiver: (options) =>
        echoReceiver(options).on('handoff.message', async ({ reply }) => {
          entered.resolve();
          await mayFinish.promise;
          await reply('at last');
        }),
    });
    await bench.requestHandoff();
    const saying = bench.say('be quiet');
    await entered.promise;
    const closing = bench.close();
    mayFinish.resolve();
    await closing;
    expect(await saying).toMatchObject({ status: 200 });
    expect(bench.replies).toMatchObject([{ text: 'at last' }]);
  });

  it('does not wait forever for a hanging handler', async () => {
    const entered = deferred();
    const bench = await createTestBench({
      drainMs: 10,
      receiver: (options) =>
        echoReceiver(options).on('handoff.message', ({ signal }) => {
          entered.resolve();
          return once(signal, 'abort');
        }),
    });
    await bench.requestHandoff();
    const saying = bench.say('be quiet');
    await entered.promise;
    await bench.close();
    expect(await saying).toMatchObject({ accepted: false });
  });

  it('calls close of the receiver with a timeout', async () => {
    const calls: unknown[] = [];
    const receiver = Object.assign(answer(), { close: async (options: unknown) => calls.push(options) });
    const bench = await createTestBench({ receiver });
    await bench.close();
    expect(calls).toEqual([{ timeoutMs: 1_000 }]);
  });

  it('stops everything even if the receiver fails to close', async () => {
    const receiver = Object.assign(answer(), { close: () => Promise.reject(new Error('cannot close')) });
    const bench = await createTestBench({ receiver });
    const { url, platform } = bench;
    await expect(bench.close()).rejects.toThrow('cannot close');
    expect([await isReachable(url), await isReachable(platform.baseUrl)]).toEqual([false, false]);
  });

  it('runs at the end of an await using block', async () => {
    let url = '';
    {
      await using bench = await createTestBench({ receiver: (options) => echoReceiver(options) });
      url = bench.url;
      expect(await isReachable(url)).toBe(true);
    }
    expect(await isReachable(url)).toBe(false);
  });

  it('runs if the receiver cannot be created', async () => {
    let baseUrl = '';
    const failing = createTestBench({
      receiver: ({ platform }) => {
        ({ baseUrl } = platform);
        throw new Error('not today');
      },
    });
    await expect(failing).rejects.toThrow('not today');
    expect(await isReachable(baseUrl)).toBe(false);
  });
});

describe('a program that closes its bench', () => {
  it('exits: no handle is left open', () => {
    const program = `
      import { setImmediate } from 'node:timers/promises';
      import { createReceiver } from 'handoff-kit';
      import { createTestBench } from 'handoff-kit/testing';
      const bench = await createTestBench({
        receiver: (options) => createReceiver({ ...options, greeting: 'Hello', log: false })
          .on('handoff.requested', () => {})
          .on('handoff.message', ({ payload, reply }) => reply(payload.body)),
      });
      await bench.requestHandoff();
      await bench.nextReply();
      bench.faults.set('duplicate');
      bench.faults.set('delay', { on: ['close'] });
      await bench.say('echo');
      console.log((await bench.nextReply()).text);
      void bench.closeByUser();
      await bench.close();
      const open = () => process.getActiveResourcesInfo().filter((name) => /TCP|Timeout/.test(name));
      for (let turn = 0; turn < 1_000 && open().length > 0; turn += 1) await setImmediate();
      console.log('left open:', open());
    `;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      encoding: 'utf8',
      timeout: 15_000,
    });
    expect(stderr).toBe('');
    expect(stdout).toBe('echo\nleft open: []\n');
    expect(status).toBe(0);
  });
});

function answer() {
  return (_request: IncomingMessage, response: ServerResponse) => response.end();
}
