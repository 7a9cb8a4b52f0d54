import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { temporaryFolder } from './databases.js';
import { ENVIRONMENT } from './environment.js';
import { serveInProcess } from './in-process.js';
import { addressOf, post, type RunningProgram, runServe } from './program.js';

const WORDS = 'what-the-user-wrote';
const EMAIL = 'jane@private.example';
const PHONE = '+4915112345678';
const COOKIE = 'session-of-a-user';
const WRONG_TOKEN = `${PATH_TOKEN.slice(0, -1)}X`;
const authorization = basicHeader(USERNAME, SECRET);

/** Sends accepted and refused requests that hold secrets and personal data. */
async function makeTraffic(url: string): Promise<void> {
  const personal = {
    email: EMAIL,
    body: [{ text: WORDS, message_type: 'QUESTION' }],
    user_info: { phone: PHONE, email: EMAIL, user_id: 'user-1', anonymous_id: null },
  };
  const headers = { authorization, cookie: COOKIE };
  const content = { text: WORDS, audio: [] };
  await post(`${url}/webhook`, botMessageBody({ output: [{ content }] }), headers);
  await post(`${url}/webhook`, botMessageBody({ output: WORDS }), headers);
  await post(`${url}/webhook`, botMessageBody(), { authorization: basicHeader(USERNAME, `${SECRET}x`) });
  await post(`${url}/webhook/${PATH_TOKEN}/conversation/establish`, establishBody(personal), {
    cookie: COOKIE,
  });
  await post(`${url}/webhook/${PATH_TOKEN}/chat`, chatBody({ body: WORDS }));
  await post(
    `${url}/webhook/${PATH_TOKEN}/chat?token=${PATH_TOKEN}&text=${WORDS}`,
    chatBody({ body: WORDS }),
  );
  await post(`${url}/webhook/${PATH_TOKEN}`, { istest: true });
  await post(`${url}/webhook/${WRONG_TOKEN}/chat`, chatBody({ body: WORDS }));
  await post(`${url}/webhok/${PATH_TOKEN}/chat`, chatBody({ body: WORDS }));
  await post(`${url}/webhook/%70${PATH_TOKEN.slice(1)}/chat`, chatBody({ body: WORDS }));
  await fetch(`${url}/${PATH_TOKEN}`, { headers });
}

async function allWritten(
  args: readonly string[],
  env: Record<string, string>,
  run = serveInProcess,
): Promise<RunningProgram> {
  // The platform fails, so that replies fail and errors are logged.
  const platform = await fakePlatform(() => 400);
  const program = run(args, {
    ...ENVIRONMENT,
    LOG_LEVEL: 'trace',
    PLATFORM_BASE_URL: platform.options.baseUrl,
    PLATFORM_API_KEY: API_KEY,
    AUTO_REPLY: 'You said: {text}',
    GREETING: 'Hello',
    ...env,
  });
  await makeTraffic(await addressOf(program));
  program.signal('SIGTERM');
  expect(await program.ended).toBe(0);
  return program;
}

const SECRETS = [
  SECRET,
  PATH_TOKEN,
  WRONG_TOKEN,
  PATH_TOKEN.slice(1),
  API_KEY,
  COOKIE,
  authorization,
  authorization.slice('Basic '.length),
];

describe('the output of the program', () => {
  it('contains no secrets, texts of messages, e-mail addresses or phone numbers', async () => {
    const program = await allWritten([], {});
    const written = program.stdout() + program.stderr();
    for (const hidden of [...SECRETS, WORDS, EMAIL, PHONE]) expect(written).not.toContain(hidden);
    expect(program.stderr()).toContain('/webhook/[redacted]/chat');
    expect(program.stdout()).toContain(`"length":${WORDS.length}`);
  });

  it('contains none of them with a database', async () => {
    const program = await allWritten([], { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'x.db')}` });
    const written = program.stdout() + program.stderr();
    for (const hidden of [...SECRETS, WORDS, EMAIL, PHONE]) expect(written).not.toContain(hidden);
    expect(program.stdout()).toContain(`"length":${WORDS.length}`);
  });

  it('contains texts with --show-text, and still no secrets', async () => {
    const program = await allWritten(['--show-text'], {});
    expect(program.stdout()).toContain(`"text":"${WORDS}"`);
    for (const hidden of SECRETS) expect(program.stdout() + program.stderr()).not.toContain(hidden);
  });

  it('is one JSON object per line with --json, of one shape: events, states and the log', async () => {
    const program = await allWritten([], {}, runServe);
    const lines = (program.stdout() + program.stderr()).trim().split('\n');
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.stringMatching(/^(trace|debug|info|warn|error)$/),
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        msg: expect.any(String),
      });
    }
    const events = program.stdout().matchAll(/"event":"([^"]+)"/g);
    expect(new Set(Array.from(events, ([, name]) => name))).toEqual(
      new Set(['message', 'handoff.requested', 'handoff.message', 'probe']),
    );
  });
});
