import { statSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLineFile } from '../../src/recording/line-file.js';
import { deferred } from '../helpers/deferred.js';
import { bytesOf, dial, sendRaw } from '../helpers/raw.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { recordBetween } from './support.js';

const BODY = '{"conversation_id":"c-1","body":"Hi"}';

describe('the recording proxy', () => {
  it('passes request and answer on unchanged', async () => {
    const seen: { url?: string | undefined; headers: string[]; body: string }[] = [];
    const recorded = await recordBetween({
      receiver(request, response) {
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on('end', () => {
          seen.push({
            url: request.url,
            headers: request.rawHeaders,
            body: Buffer.concat(chunks).toString(),
          });
          response.writeHead(
            418,
            'Odd',
            [
              ['Set-Cookie', 'a=1'],
              ['Set-Cookie', 'b=2'],
              ['X-Odd', 'yes'],
              ['Content-Length', '7'],
            ].flat(),
          );
          response.end('no JSON');
        });
      },
    });
    const answer = await sendRaw(recorded.port, {
      path: '/webhook/chat?x=%20y',
      headers: [
        ['X-Twice', '1'],
        ['X-Twice', '2'],
      ],
      body: ' { "odd" : 1 } ',
    });
    expect(answer).toMatchObject({ status: 418, body: 'no JSON' });
    expect(answer.headers.get('set-cookie')).toEqual(['a=1', 'b=2']);
    expect(seen).toMatchObject([{ url: '/webhook/chat?x=%20y', body: ' { "odd" : 1 } ' }]);
    expect(seen[0]?.headers.filter((each) => each === 'X-Twice')).toHaveLength(2);
    expect((await recorded.stop()).lines).toMatchObject([
      { endpoint: 'chat', status: 418, answer: 'xx xxxx' },
    ]);
  });

  it('breaks the connection if the receiver does, and records that there was no answer', async () => {
    const recorded = await recordBetween({ receiver: (request) => request.socket.destroy() });
    await expect(fetch(`${recorded.url}/chat`, { method: 'POST', body: BODY })).rejects.toThrow();
    expect((await recorded.stop()).lines).toMatchObject([{ endpoint: 'chat', status: null, answer: null }]);
  });

  it('lets go of a receiver that hangs when the sender hangs up', async () => {
    const arrived = deferred();
    const released = deferred();
    const recorded = await recordBetween({
      receiver(request, response) {
        response.on('close', () => released.resolve());
        request.resume().on('end', () => arrived.resolve());
      },
    });
    const socket = await dial(recorded.port);
    socket.write(bytesOf({ path: '/webhook/chat', body: BODY }));
    await arrived.promise;
    socket.destroy();
    await released.promise;
    expect((await recorded.stop()).lines).toMatchObject([{ status: null, body: { body: 'xx' } }]);
  });

  it('passes on what is too large to record', async () => {
    let length = 0;
    const recorded = await recordBetween({
      receiver(request, response) {
        request.on('data', (chunk: Buffer) => {
          length += chunk.length;
        });
        request.on('end', () => response.end('x'.repeat(3_000_000)));
      },
    });
    const body = JSON.stringify({ conversation_id: 'c-1', body: 'x'.repeat(2_000_000) });
    const answer = await fetch(`${recorded.url}/chat`, { method: 'POST', body });
    expect((await answer.text()).length).toBe(3_000_000);
    expect(length).toBe(body.length);
    expect((await recorded.stop()).lines).toMatchObject([{ status: 200, body: null, withheld: true }]);
  });

  it('does not record paths of other handlers', async () => {
    const recorded = await recordBetween({
      receiver: (request, response) => void request.resume().on('end', () => response.end('fine')),
    });
    for (const path of ['/healthz', '/webhook/slack', '/webhook/a/b']) {
      const answer = await fetch(new URL(path, recorded.url), { method: 'POST', body: '{"a":1}' });
      expect(await answer.text()).toBe('fine');
    }
    const probe = { method: 'POST', body: '{"conversation_id":"c","istest":true}' };
    await (await fetch(`${recorded.url}/t0ken-of-handoffs`, probe)).text();
    expect((await recorded.stop()).lines).toMatchObject([{ endpoint: 'handoff', body: { istest: true } }]);
  });

  it('goes on without recording on a full disk, and says so once', async () => {
    const recorded = await recordBetween(
      { receiver: (request, response) => void request.resume().on('end', () => response.end('fine')) },
      '/dev/full',
    );
    for (const _ of [1, 2, 3]) {
      const answer = await fetch(`${recorded.url}/chat`, { method: 'POST', body: BODY });
      expect(await answer.text()).toBe('fine');
    }
    await expect.poll(() => recorded.warnings).toEqual([expect.stringContaining('ENOSPC')]);
  });
});

describe('the file of a recording', () => {
  it('is readable by its owner alone, and continued with whole lines', async () => {
    const path = join(await temporaryFolder(), 'recording.jsonl');
    await writeFile(path, 'whole\npart');
    await chmod(path, 0o644);
    const file = openLineFile(path, () => {});
    for (let count = 0; count < 200; count += 1) file.append(`line ${count}`);
    await file.close();
    const lines = (await readFile(path, 'utf8')).split('\n');
    expect(lines.slice(0, 3)).toEqual(['whole', 'part', 'line 0']);
    expect(lines.slice(-2)).toEqual(['line 199', '']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
