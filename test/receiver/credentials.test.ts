import request from 'supertest';
import { describe, expect, it } from 'vitest';
import {
  type AuthChoice,
  basic,
  bearer,
  createReceiver,
  noAuth,
  pathToken,
  webhookUser,
} from '../../src/public/index.js';
import { botMessageBody, establishBody } from '../fixtures/bodies.js';
import { BEARER_TOKEN, basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { logLines } from '../helpers/log-lines.js';
import { bytesOf, dial, parseAnswer, readAll, sendRaw } from '../helpers/raw.js';
import { type Started, start } from '../helpers/start.js';

const startWith = (message: AuthChoice): Promise<Started> => start({ auth: { message, handoff: false } });

const post = (to: Started, authorization?: string) => {
  const sending = request(to.url).post('/').send(botMessageBody());
  return authorization === undefined ? sending : sending.set('Authorization', authorization);
};

/** Credentials and their parts, which must not appear anywhere. */
const HIDDEN = [SECRET, BEARER_TOKEN, PATH_TOKEN, basicHeader(USERNAME, SECRET).slice('Basic '.length)];

/** A refused request reaches no handler, and neither its answer nor the log contains credentials. */
async function expectRefused(to: Started, authorization: string | undefined, good: string): Promise<void> {
  const answer = await post(to, authorization);
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual({ code: 401, msg: 'unauthorized' });
  expect(to.seen).toHaveLength(0);
  expect((await post(to, good)).status).toBe(200);
  expect(to.seen).toHaveLength(1);
  const told = JSON.stringify([answer.headers, answer.text]) + to.logged.text();
  for (const secret of HIDDEN) expect(told).not.toContain(secret);
}

describe('a username and an empty secret', () => {
  it('pass as the username alone, and never as a secret that is empty', async () => {
    const to = await startWith(webhookUser({ username: USERNAME, secret: '' }));
    await expectRefused(to, basicHeader(USERNAME, ''), `Bearer ${USERNAME}`);
  });

  it('are logged with the name of the option', async () => {
    const empty = webhookUser({ username: USERNAME, secret: '' });
    expect((await startWith(empty)).logged.text()).toContain('the secret of auth.message is empty');
    const several = logLines();
    createReceiver({ bots: { sales: { auth: { message: empty, handoff: false } } }, log: several.log });
    expect(several.text()).toContain('the secret of bots.sales.auth.message is empty');
    for (const none of [
      webhookUser({ username: USERNAME }),
      webhookUser({ username: USERNAME, secret: SECRET }),
    ]) {
      expect((await startWith(none)).logged.text()).not.toContain('is empty');
    }
  });
});

describe('the log line of a refused request', () => {
  const withSecret = webhookUser({ username: USERNAME, secret: SECRET });
  const alone = webhookUser({ username: USERNAME });
  const token = pathToken(PATH_TOKEN);
  const EITHER =
    'The platform sends Basic for a username with a secret, and Bearer for a username alone: is the secret set on both sides?';

  it.each<[string, AuthChoice, Record<string, string>, string]>([
    ['nothing', withSecret, {}, 'expected Authorization: Basic, but the request has no Authorization header'],
    [
      'another scheme of the platform',
      withSecret,
      { authorization: `bearer ${SECRET}` },
      `expected Authorization: Basic, but the request has Authorization: Bearer. ${EITHER}`,
    ],
    [
      'a secret that the receiver does not know of',
      alone,
      { authorization: basicHeader(USERNAME, SECRET) },
      `expected Authorization: Bearer, but the request has Authorization: Basic. ${EITHER}`,
    ],
    [
      'other credentials',
      [withSecret, alone],
      { authorization: `Bearer ${SECRET}` },
      'the credentials are wrong: the request has Authorization: Bearer, as expected, with other values',
    ],
    [
      'a secret without a scheme',
      [withSecret, alone],
      { authorization: SECRET },
      'expected Authorization: Basic or Authorization: Bearer, but the request has an Authorization header of another scheme',
    ],
    [
      'a signature',
      alone,
      { 'X-Hub-Signature-256': `sha256=${SECRET}` },
      'expected Authorization: Bearer, but the request has a signature instead of Authorization',
    ],
    ['no token', token, {}, 'expected a token in the path, but the request has no token in its path'],
    [
      'a header in place of a token',
      token,
      { authorization: `Bearer ${PATH_TOKEN}` },
      'expected a token in the path, but the request has no token in its path and Authorization: Bearer',
    ],
    [
      'what a function does not accept',
      () => false,
      {},
      'expected what your own check accepts, but the request has no Authorization header',
    ],
  ])('says what came and what was expected, without values: %s', async (_what, scheme, headers, detail) => {
    const to = await startWith(scheme);
    expect((await request(to.url).post('/').set(headers).send(botMessageBody())).status).toBe(401);
    expect((await to.logged.until('request refused')).detail).toBe(detail);
    for (const secret of HIDDEN) expect(to.logged.text()).not.toContain(secret);
  });

  it('tells a wrong token from none', async () => {
    const to = await start({ auth: { message: false, handoff: pathToken(PATH_TOKEN) } });
    expect((await request(to.url).post('/another-token/chat').send({})).status).toBe(401);
    expect((await to.logged.until('request refused')).detail).toBe(
      'expected a token in the path, but the request has another one',
    );
  });
});

describe('a username and a secret', () => {
  const scheme = webhookUser({ username: USERNAME, secret: SECRET });
  const good = basicHeader(USERNAME, SECRET);

  it.each([
    ['unchanged', good],
    ['after a lower-case "basic"', good.replace('Basic', 'basic')],
    ['after an upper-case "BASIC"', good.replace('Basic', 'BASIC')],
    ['in base64 without padding', good.replace(/=+$/, '')],
  ])('pass %s', async (_how, header) => {
    const to = await startWith(scheme);
    expect((await post(to, header)).status).toBe(200);
    expect(to.seen).toHaveLength(1);
  });

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['malformed base64', 'Basic %%%not-base64%%%'],
    ['base64 without a colon', `Basic ${Buffer.from(USERNAME + SECRET).toString('base64')}`],
    ['nothing after "Basic"', 'Basic'],
    ['a wrong user', basicHeader('another-user', SECRET)],
    ['a wrong secret', basicHeader(USERNAME, 'wrong')],
    ['no secret', basicHeader(USERNAME, '')],
    ['the secret plus one byte', basicHeader(USERNAME, `${SECRET}x`)],
    ['the secret plus a NUL', basicHeader(USERNAME, `${SECRET}\0`)],
    ['the secret plus a line feed', basicHeader(USERNAME, `${SECRET}\n`)],
    ['the secret minus one byte', basicHeader(USERNAME, SECRET.slice(0, -1))],
    ['the secret in another case', basicHeader(USERNAME, SECRET.toUpperCase())],
    ['the user in another case', basicHeader(USERNAME.toUpperCase(), SECRET)],
    ['a leading space', basicHeader(` ${USERNAME}`, SECRET)],
    ['the credentials without base64', `Basic ${USERNAME}:${SECRET}`],
    ['the username as Bearer', `Bearer ${USERNAME}`],
    ['the secret as Bearer', `Bearer ${SECRET}`],
    ['another scheme', good.replace('Basic', 'Digest')],
  ])('are refused: %s', async (_what, header) => {
    await expectRefused(await startWith(scheme), header, good);
  });

  it('are requested by a challenge', async () => {
    const answer = await post(await startWith(scheme));
    expect(answer.headers['www-authenticate']).toBe('Basic realm="handoff-kit"');
  });

  it('may contain a colon in the secret', async () => {
    const to = await startWith(webhookUser({ username: USERNAME, secret: 'a:b:c' }));
    expect((await post(to, basicHeader(USERNAME, 'a:b:c'))).status).toBe(200);
    expect((await post(to, basicHeader(`${USERNAME}:a`, 'b:c'))).status).toBe(200);
    expect((await post(to, basicHeader(USERNAME, 'a:b'))).status).toBe(401);
  });

  it('may contain any script', async () => {
    const to = await startWith(basic({ username: 'señor', password: 'пароль-秘密' }));
    expect((await post(to, basicHeader('señor', 'пароль-秘密'))).status).toBe(200);
    expect((await post(to, basicHeader('señor', 'пароль-秘'))).status).toBe(401);
  });
});

describe.each([
  ['a username alone', webhookUser({ username: BEARER_TOKEN })],
  ['a bearer token', bearer(BEARER_TOKEN)],
])('%s', (_what, scheme) => {
  const good = `Bearer ${BEARER_TOKEN}`;

  it.each([
    ['unchanged', good],
    ['after a lower-case "bearer"', `bearer ${BEARER_TOKEN}`],
    ['after an upper-case "BEARER"', `BEARER ${BEARER_TOKEN}`],
    ['after two spaces', `Bearer  ${BEARER_TOKEN}`],
  ])('passes %s', async (_how, header) => {
    expect((await post(await startWith(scheme), header)).status).toBe(200);
  });

  it.each([
    ['no header', undefined],
    ['nothing after "Bearer"', 'Bearer'],
    ['the token alone', BEARER_TOKEN],
    ['a wrong token', 'Bearer wrong'],
    ['the token plus one byte', `Bearer ${BEARER_TOKEN}x`],
    ['the token twice', `Bearer ${BEARER_TOKEN} ${BEARER_TOKEN}`],
    ['the token minus one byte', `Bearer ${BEARER_TOKEN.slice(0, -1)}`],
    ['the token in another case', `Bearer ${BEARER_TOKEN.toLowerCase()}`],
    ['the token as Basic', basicHeader(BEARER_TOKEN, '')],
    ['the token in quotes', `Bearer "${BEARER_TOKEN}"`],
  ])('is refused: %s', async (_how, header) => {
    await expectRefused(await startWith(scheme), header, good);
  });

  it('is requested by a challenge', async () => {
    const answer = await post(await startWith(scheme), 'Bearer wrong');
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="handoff-kit"');
  });
});

describe('a username with a space in it', () => {
  it('passes as Bearer, as the platform sends it', async () => {
    const to = await startWith(webhookUser({ username: 'parcel bot' }));
    expect((await post(to, 'Bearer parcel bot')).status).toBe(200);
    expect((await post(to, 'Bearer parcel')).status).toBe(401);
  });
});

describe('a username in another script', () => {
  /** Node decodes header bytes as Latin-1. */
  const inUtf8 = (text: string): string => Buffer.from(text).toString('latin1');
  const basicLatin1 = (text: string): string => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`;
  const send = async (to: Started, authorization: string): Promise<number> => {
    const headers = [
      ['Content-Type', 'application/json'] as const,
      ['Authorization', authorization] as const,
    ];
    return (await sendRaw(to.port, { headers, body: JSON.stringify(botMessageBody()) })).status;
  };

  it.each(['señor', '客服', 'Büro ☎', 'voilà'])('passes alone, as Bearer in UTF-8: %s', async (username) => {
    const to = await startWith(webhookUser({ username }));
    expect(await send(to, inUtf8(`Bearer ${username}`))).toBe(200);
    expect(await send(to, inUtf8(`Bearer ${username}é`))).toBe(401);
    expect(await send(to, inUtf8(`Bearer ${inUtf8(username)}`))).toBe(401);
    expect(to.seen).toHaveLength(1);
  });

  it('passes with a secret, as Basic in UTF-8', async () => {
    const to = await startWith(webhookUser({ username: '客服', secret: 'пароль' }));
    expect(await send(to, basicHeader('客服', 'пароль'))).toBe(200);
    expect(await send(to, basicHeader('客服', 'парол'))).toBe(401);
  });

  it('is refused in Latin-1: credentials are in UTF-8, as RFC 7617 says', async () => {
    const alone = await startWith(webhookUser({ username: 'señor' }));
    expect(await send(alone, 'Bearer señor')).toBe(401);
    const withSecret = await startWith(webhookUser({ username: 'señor', secret: 'geheim-ü' }));
    expect(await send(withSecret, basicLatin1('señor:geheim-ü'))).toBe(401);
    expect(await send(withSecret, basicHeader('señor', 'geheim-ü').replace('Basic', 'basic'))).toBe(200);
  });
});

describe('several Authorization headers', () => {
  const good = basicHeader(USERNAME, SECRET);

  it.each([
    ['the right header twice', [good, good]],
    ['the right header first', [good, 'Basic d3Jvbmc6d3Jvbmc=']],
    ['the right header last', ['Basic d3Jvbmc6d3Jvbmc=', good]],
  ])('are refused: %s', async (_what, values) => {
    const to = await startWith(basic({ username: USERNAME, password: SECRET }));
    const answer = await sendRaw(to.port, {
      headers: [
        ['Content-Type', 'application/json'],
        ...values.map((value) => ['authorization', value] as const),
      ],
      body: JSON.stringify(botMessageBody()),
    });
    expect(answer.status).toBe(401);
    expect(to.seen).toHaveLength(0);
    const line = await to.logged.until('request refused');
    expect(line).toMatchObject({
      detail: 'expected Authorization: Basic, but the request has several Authorization headers',
    });
    expect(to.logged.text()).not.toContain(good.slice('Basic '.length));
    expect((await post(to, good)).status).toBe(200);
  });
});

describe('a list of schemes', () => {
  it('accepts any of its schemes, and has one challenge of each kind', async () => {
    const to = await startWith([
      webhookUser({ username: USERNAME, secret: 'new-secret' }),
      webhookUser({ username: USERNAME, secret: SECRET }),
      bearer(BEARER_TOKEN),
      async ({ headers }) => headers['x-from'] === 'platform',
    ]);
    expect((await post(to, basicHeader(USERNAME, 'new-secret'))).status).toBe(200);
    expect((await post(to, basicHeader(USERNAME, SECRET))).status).toBe(200);
    expect((await post(to, `Bearer ${BEARER_TOKEN}`)).status).toBe(200);
    expect((await post(to).set('x-from', 'platform')).status).toBe(200);
    const refused = await sendRaw(to.port, { headers: [['Authorization', 'Bearer other']] });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toEqual([
      'Basic realm="handoff-kit"',
      'Bearer realm="handoff-kit"',
    ]);
    expect(to.seen).toHaveLength(4);
  });
});

describe('wrong credentials', () => {
  it.each(['/', '/conversation/establish', '/chat'])(
    'are refused before the body is sent: %s',
    async (path) => {
      const to = await start({
        auth: { message: bearer(BEARER_TOKEN), handoff: basic({ username: USERNAME, password: SECRET }) },
        limits: { readTimeoutMs: 1_000_000 },
      });
      const socket = await dial(to.port);
      const headers = [
        ['Content-Type', 'application/json'],
        ['Content-Length', '100'],
        ['Authorization', 'Bearer wrong'],
      ] as const;
      socket.write(bytesOf({ path, headers }));
      expect(parseAnswer(await readAll(socket)).status).toBe(401);
    },
  );
});

describe('each group', () => {
  it('has its own scheme', async () => {
    const to = await start({
      auth: { message: bearer(BEARER_TOKEN), handoff: basic({ username: USERNAME, password: SECRET }) },
    });
    const establish = (authorization: string) =>
      request(to.url)
        .post('/conversation/establish')
        .set('Authorization', authorization)
        .send(establishBody());
    expect((await establish(basicHeader(USERNAME, SECRET))).status).toBe(200);
    expect((await establish(`Bearer ${BEARER_TOKEN}`)).status).toBe(401);
    expect((await post(to, basicHeader(USERNAME, SECRET))).status).toBe(401);
    expect((await post(to, `Bearer ${BEARER_TOKEN}`)).status).toBe(200);
  });

  it('can be open with noAuth', async () => {
    const to = await startWith(noAuth());
    expect((await post(to)).status).toBe(200);
    expect((await post(to, 'Bearer whatever')).status).toBe(200);
  });

  it('is refused without a challenge if the credential is in the path', async () => {
    const to = await start({ auth: { message: noAuth(), handoff: pathToken(PATH_TOKEN) } });
    const answer = await request(to.url).post('/conversation/establish').send(establishBody());
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('PathToken realm="handoff-kit"');
  });
});
