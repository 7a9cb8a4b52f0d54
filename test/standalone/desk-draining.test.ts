import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { deferred } from '../helpers/deferred.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { dial, parseAnswer, readAll } from '../helpers/raw.js';
import { ENVIRONMENT } from './environment.js';
import { addressOf, post, runServe } from './program.js';

describe('the desk during the shutdown', () => {
  it('refuses requests, which could not be stored any more', async () => {
    const release = deferred();
    const platform = await fakePlatform(() => release.promise.then(() => 200));
    const program = runServe([], {
      ...ENVIRONMENT,
      ADAPTER: 'desk',
      PLATFORM_BASE_URL: platform.options.baseUrl,
      PLATFORM_API_KEY: API_KEY,
      AUTO_REPLY: '{text}',
    });
    const url = await addressOf(program);
    const answer = post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody());
    await platform.came(1);
    const late = await dial(Number(new URL(url).port));
    // Only a connection with an unfinished request stays open: the second one, since the first is answered.
    late.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /desk/login HTTP/1.1\r\n');
    await once(late, 'data');
    program.signal('SIGTERM');
    await program.until(/"status":"stopping"/);
    const end = readAll(late);
    late.write('Host: x\r\nContent-Length: 0\r\n\r\n');
    const refused = parseAnswer(await end);
    expect([refused.status, refused.body]).toEqual([503, '{"code":503,"message":"shutting down"}']);
    release.resolve();
    expect((await answer).status).toBe(200);
    expect(await program.ended).toBe(0);
  });
});
