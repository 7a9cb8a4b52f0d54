import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { API_KEY, type Conducts, flakyPlatform } from '../helpers/fake-platform.js';
import { ENVIRONMENT } from '../standalone/environment.js';
import { addressOf, post, runServe } from '../standalone/program.js';

/** Long enough for a machine under load; only a failing test waits that long. */
export const WAIT_OPTIONS = { timeout: 90_000, interval: 100 };

/** The permissions of the files in a folder. */
export const modesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );

/**
 * A server on a file that answers each message with its text, and a platform that reacts as told. It has a process of
 * its own where the locks between processes matter.
 */
export async function serverOn(file: string, conducts?: Conducts, run = runServe) {
  const platform = await flakyPlatform(conducts);
  const env = {
    ...ENVIRONMENT,
    DATABASE_URL: `sqlite:${file}`,
    PLATFORM_BASE_URL: platform.options.baseUrl,
    PLATFORM_API_KEY: API_KEY,
    AUTO_REPLY: '{text}',
  };
  const url = await addressOf(run([], env));
  const say = async (body: string): Promise<string> => {
    const answer = await post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody({ body }));
    expect(answer.status).toBe(200);
    return body;
  };
  return { platform, env, url, say };
}

/** Sends messages one after another until the test ends. */
export function keepSaying(say: (text: string) => Promise<string>): void {
  let goesOn = true;
  const sending = (async () => {
    for (let count = 0; goesOn; count += 1) {
      await say(`meanwhile ${count}`);
      await wait(10);
    }
  })();
  onTestFinished(async () => {
    goesOn = false;
    await sending;
  });
}
