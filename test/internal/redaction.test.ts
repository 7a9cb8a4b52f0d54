import { type DestinationStream, pino } from 'pino';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { withRedaction } from '../../src/internal/create-log.js';
import { basic, createLog, type Log, pathToken, type ReceiverOptions } from '../../src/public/index.js';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY, fakePlatform } from '../helpers/fake-platform.js';
import { logLines } from '../helpers/log-lines.js';
import { type Started, start } from '../helpers/start.js';

/** Words and contact data of users and agents. */
const PERSONAL = {
  text: 'canary-of-the-agent',
  speech: 'canary-of-the-voice',
  question: 'canary-of-the-question',
  chat: 'canary-of-the-user',
  email: 'canary@example.com',
  phone: '+15550199',
};

const SECRETS = [SECRET, PATH_TOKEN, API_KEY, basicHeader(USERNAME, SECRET).slice('Basic '.length)];

const AUTH: ReceiverOptions['auth'] = {
  message: basic({ username: USERNAME, password: SECRET }),
  handoff: pathToken(PATH_TOKEN),
};

const BODIES: [path: string, body: object][] = [
  [
    '/',
    botMessageBody({
      output: [
        {
          content: {
            text: PERSONAL.text,
            audio: [{ audio: 'https://x.example', transcript: PERSONAL.speech }],
          },
        },
      ],
    }),
  ],
  [
    `/${PATH_TOKEN}/conversation/establish`,
    establishBody({
      email: PERSONAL.email,
      body: [{ text: PERSONAL.question, message_type: 'QUESTION' }],
      user_info: { phone: PERSONAL.phone, email: PERSONAL.email },
    }),
  ],
  [`/${PATH_TOKEN}/chat`, chatBody({ body: PERSONAL.chat })],
];

/** Sends valid and invalid requests of each kind, with a handler that logs its whole context. */
async function sendAll(to: Started): Promise<void> {
  to.receiver.onAny((context) => {
    const { log, payload } = context;
    log.info({ payload }, 'the payload');
    if (context.event === 'message') log.info({ text: context.text, audio: context.audio }, 'its own fields');
    if (context.event === 'handoff.requested') {
      log.info({ about: { user: context.user, transcript: context.transcript } }, 'its own fields');
    }
    log.child({ payload }).info({}, 'a child');
    log.info({ list: [payload] }, 'in a list');
  });
  for (const [path, body] of BODIES) {
    const send = (text: object) =>
      request(to.url).post(path).set('Authorization', basicHeader(USERNAME, SECRET)).send(text);
    expect((await send(body)).status).toBe(200);
    expect((await send({ ...body, conversation_id: [] })).status).toBe(400);
    expect((await request(to.url).post(path.replace(PATH_TOKEN, 'x')).send(body)).status).toBe(401);
  }
  await to.logged.until('request refused');
}

function expectHidden(text: string, values: readonly string[]): void {
  for (const value of values) expect(text).not.toContain(value);
}

describe('the log', () => {
  it('contains neither secrets nor personal data, whatever a handler logs', async () => {
    const to = await start({ auth: AUTH });
    await sendAll(to);
    expect(to.logged.about('the payload')).toHaveLength(3);
    expect(to.logged.about('in a list')).toHaveLength(3);
    expectHidden(to.logged.text(), [...SECRETS, ...Object.values(PERSONAL)]);
    expect(to.logged.text()).toContain('[redacted]');
  });

  it('still identifies the conversation and the message', async () => {
    const to = await start({ auth: AUTH });
    await sendAll(to);
    const [message] = to.logged.about('the payload');
    expect(message).toMatchObject({
      event: 'message',
      payload: { message_id: expect.any(String), output: '[redacted]' },
    });
  });

  it('contains neither if the application passes its own pino logger', async () => {
    const { destination, ...logged } = logLines();
    const to = await start({ auth: AUTH, log: pino({ level: 'trace' }, destination) });
    await sendAll({ ...to, logged: { ...logged, destination } });
    expect(logged.about('the payload')).toHaveLength(3);
    expectHidden(logged.text(), [...SECRETS, ...Object.values(PERSONAL)]);
  });

  it('contains no words of a failed reply', async () => {
    const platform = await fakePlatform(() => 500);
    const to = await start({ platform: platform.options, greeting: PERSONAL.text });
    to.receiver.on('handoff.requested', ({ reply }) => {
      void reply(PERSONAL.chat);
    });
    const body = establishBody({ email: PERSONAL.email });
    expect((await request(to.url).post('/conversation/establish').send(body)).status).toBe(200);
    await to.receiver.close();
    expect(to.logged.about('did not reach the platform').length).toBeGreaterThan(0);
    expectHidden(to.logged.text(), [API_KEY, ...Object.values(PERSONAL)]);
  });
});

describe('showText', () => {
  it('logs personal data, but no secrets', async () => {
    const logged = logLines({ showText: true });
    const to = await start({ auth: AUTH, log: logged.log });
    await sendAll({ ...to, logged });
    for (const value of Object.values(PERSONAL)) expect(logged.text()).toContain(value);
    expectHidden(logged.text(), SECRETS);
  });
});

/** The text of one log line. */
const lineOf = (about: object, options = {}): string => {
  const { log, text } = logLines(options);
  log.info(about, 'a line');
  return text();
};

describe('createLog', () => {
  it.each([
    [{ authorization: SECRET }],
    [{ req: { headers: { authorization: SECRET, cookie: SECRET } } }],
    [{ headers: { Authorization: `Basic ${SECRET}`, Cookie: SECRET } }],
    [{ password: SECRET, secret: SECRET, token: SECRET, apiKey: SECRET, api_key: SECRET }],
    [{ settings: { platform: { apiKey: SECRET } } }],
  ])('hides secrets in the usual fields: %j', (about) => {
    expectHidden(lineOf(about), [SECRET]);
    expectHidden(lineOf(about, { showText: true }), [SECRET]);
  });

  it('hides the credentials that an HTTP client leaves in its errors', () => {
    const err = Object.assign(new Error('refused'), { config: { headers: { Authorization: SECRET } } });
    expectHidden(lineOf({ err }), [SECRET]);
  });

  it('writes what handlers log at info by default', () => {
    const lines: string[] = [];
    const log = createLog({ destination: { write: (line) => lines.push(line) } });
    log.debug({}, 'quiet');
    log.info({}, 'loud');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['loud']);
  });
});

describe('a redaction of the application', () => {
  const OWN = { paths: ['card', 'order.note', '*.iban'], censor: '[own]' };
  const ABOUT = {
    card: 'canary-card',
    order: { note: 'canary-note', token: 'canary-token' },
    account: { iban: 'canary-iban', email: 'canary-email' },
    text: 'canary-text',
    kept: 'visible',
  };

  it.each<[string, (log: pino.Logger) => Log]>([
    ['of a logger', (log) => withRedaction(log)],
    ['of a child', (log) => withRedaction(log).child({ ...ABOUT, kept: 'bound' })],
  ])('%s is added to ours', (_name, make) => {
    const { destination, text } = logLines();
    make(pino({ redact: OWN }, destination)).info(ABOUT, 'a line');
    expect(text()).not.toContain('canary');
    expect(JSON.parse(text())).toMatchObject({
      card: '[own]',
      order: { note: '[own]', token: '[redacted]' },
      account: { iban: '[own]', email: '[redacted]' },
      text: '[redacted]',
      kept: 'visible',
    });
  });

  it.each<[string, (destination: DestinationStream) => Log]>([
    ['createLog', (destination) => createLog({ destination })],
    ['the application', (destination) => withRedaction(pino({}, destination))],
  ])('of a child is added to that of a logger from %s', (_name, make) => {
    const { destination, text } = logLines();
    const log = make(destination) as pino.Logger;
    log.child(ABOUT, { redact: OWN }).child({ user: 'canary-user' }).info(ABOUT, 'a line');
    expect(text()).not.toContain('canary');
    expect(text()).toContain('visible');
  });

  it('that removes fields still removes them', () => {
    const { destination, text } = logLines();
    withRedaction(pino({ redact: { paths: ['card'], remove: true } }, destination)).info(ABOUT, 'a line');
    expect(JSON.parse(text())).not.toHaveProperty('card');
    expect(text()).not.toContain('canary-token');
  });
});

describe('a logger that is not pino', () => {
  it('is accepted as well', async () => {
    const lines: [string, object][] = [];
    const note = (about: object, text: string): void => {
      lines.push([text, about]);
    };
    const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log };
    const to = await start({ log });
    expect((await request(to.url).post('/').send(botMessageBody())).status).toBe(200);
    expect(lines.map(([text]) => text)).toEqual(['event accepted']);
  });
});
