import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { botMessageBody, chatBody, closeBody, establishBody, type WireBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { bytesOf, dial, parseAnswer, type RawAnswer, type RawRequest, readAll } from '../helpers/raw.js';
import { type ApplicationOptions, BODY_BYTES, CLOSE, FAIL, LOCAL } from './application.js';
import { BASE, type Host, type RunningHost } from './host.js';
import { HOSTS, type HostName, type LeftOut } from './matrix.js';

/** One case, the same for every host. Requests and answers are bytes on a socket. */
interface Case {
  readonly name: string;
  readonly options?: ApplicationOptions;
  readonly run: (to: RunningHost, host: Host) => Promise<void>;
}

type Header = readonly [name: string, value: string];

const JSON_TYPE: Header = ['Content-Type', 'application/json'];
const GOOD: Header = ['Authorization', basicHeader(USERNAME, SECRET)];
const WRONG: Header = ['Authorization', basicHeader(USERNAME, 'wrong')];
const CHUNKED: Header = ['Transfer-Encoding', 'chunked'];
const HANDOFF = `${BASE}/${PATH_TOKEN}`;

const MESSAGE_SUCCESS = '{"code":200,"msg":"success"}';
const HANDOFF_SUCCESS = '{"code":200,"message":"success"}';

/** Sends a request and reads its answer. */
async function send(to: RunningHost, request: RawRequest): Promise<RawAnswer> {
  return sendPieces(to, [bytesOf({ path: BASE, ...request })]);
}

/** Sends bytes piece by piece. The connection stays open, so that only the host decides when to answer. */
async function sendPieces(to: RunningHost, pieces: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const socket = await dial(to.port);
  socket.setNoDelay(true);
  const answered = readAll(socket);
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise(setImmediate);
  }
  return unchunked(parseAnswer(await answered));
}

const post = (to: RunningHost, body: object | string, path = BASE, ...headers: readonly Header[]) =>
  send(to, {
    path,
    headers: [JSON_TYPE, GOOD, ...headers],
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** Some hosts send chunked answers. */
function unchunked(answer: RawAnswer): RawAnswer {
  if (!answer.headers.get('transfer-encoding')?.includes('chunked')) return answer;
  let rest = Buffer.from(answer.body);
  const parts: Buffer[] = [];
  for (;;) {
    const line = rest.indexOf('\r\n');
    const length = Number.parseInt(rest.subarray(0, line).toString(), 16);
    if (!(length > 0)) return { ...answer, body: Buffer.concat(parts).toString() };
    parts.push(rest.subarray(line + 2, line + 2 + length));
    rest = rest.subarray(line + 2 + length + 2);
  }
}

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Compares an answer byte by byte; headers that hosts add are allowed. */
function expectAnswer(
  answer: RawAnswer,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
  expect(answer.headers.get('content-type')).toEqual(['application/json']);
  const [length = String(Buffer.byteLength(body))] = answer.headers.get('content-length') ?? [];
  expect(length).toBe(String(Buffer.byteLength(body)));
  expect(answer.headers.get('x-request-id')).toEqual([expect.stringMatching(/^[\w.:-]{1,128}$/)]);
  for (const [name, value] of Object.entries(headers)) {
    expect(answer.headers.get(name)?.join(', '), name).toBe(value);
  }
}

const expectRefused = (answer: RawAnswer, status: number, reason: string, headers = {}): void =>
  expectAnswer(answer, status, JSON.stringify({ code: status, msg: reason }), headers);

/** Sends a valid message, and checks that it is the conversation's first event in the handlers. */
async function expectOnly(to: RunningHost, conversationId: unknown, expected: readonly string[] = []) {
  const marker = botMessageBody();
  expectAnswer(await post(to, marker), 200, MESSAGE_SUCCESS);
  await to.notes.untilEvent((event) => event.conversationId === marker.conversation_id);
  const got = to.notes.events().filter((event) => event.conversationId === conversationId);
  expect(got.map(({ event }) => event)).toEqual(expected);
}

/** Sends a request that must be refused, and checks that no handler got it. */
async function expectNotHandled(
  to: RunningHost,
  body: WireBody,
  sent: (text: string) => Promise<RawAnswer>,
  check: (answer: RawAnswer) => void,
): Promise<void> {
  check(await sent(JSON.stringify(body)));
  await expectOnly(to, body.conversation_id);
}

const textOf = (text: string): WireBody => ({ output: [{ content: { text } }] });

/** One event of each kind, each with its path, its answer and its name. */
async function expectEveryEvent(to: RunningHost): Promise<void> {
  const conversation = { conversation_id: establishBody().conversation_id };
  const sent = [
    [BASE, botMessageBody(textOf('Hello')), MESSAGE_SUCCESS, 'message', 'Hello'],
    [
      `${HANDOFF}/conversation/establish`,
      establishBody(conversation),
      HANDOFF_SUCCESS,
      'handoff.requested',
      'Where is my parcel?',
    ],
    [
      `${HANDOFF}/chat`,
      chatBody({ ...conversation, body: 'zwölf 🙂' }),
      HANDOFF_SUCCESS,
      'handoff.message',
      'zwölf 🙂',
    ],
    [`${HANDOFF}/conversation/close`, closeBody(conversation), HANDOFF_SUCCESS, 'handoff.closed', ''],
  ] as const;
  for (const [path, body, success, event, text] of sent) {
    expectAnswer(await post(to, body, path), 200, success);
    await to.notes.untilEvent(
      (note) =>
        note.event === event && note.conversationId === body.conversation_id && note.text.includes(text),
    );
  }
}

/** A chat message with a numeric id that a JavaScript number cannot hold. */
let digits = 9_007_199_254_740_993n;
const nextLargeId = (): string => {
  digits += 2n;
  return String(digits);
};
const chatOf = (id: string): string => `{"conversation_id":${id},"timestamp":1742265090895,"body":"Hello"}`;

const CASES: Readonly<Record<string, readonly Case[]>> = {
  probes: [
    {
      name: 'a probe is answered at each path, and reaches only its observers',
      async run(to) {
        const probe = { istest: true };
        const paths = [BASE, HANDOFF, `${HANDOFF}/conversation/establish`, `${HANDOFF}/chat`];
        for (const path of [...paths, `${HANDOFF}/conversation/close`]) {
          const success = path === BASE || path === HANDOFF ? MESSAGE_SUCCESS : HANDOFF_SUCCESS;
          const requestId = `probe-${path.length}`;
          expectAnswer(await post(to, probe, path, ['X-Request-Id', requestId]), 200, success);
          await to.notes.untilEvent((note) => note.event === 'probe' && note.requestId === requestId);
        }
        await expectOnly(to, undefined);
      },
    },
    {
      name: 'a probe without credentials is refused',
      async run(to) {
        const answer = await send(to, { headers: [JSON_TYPE], body: '{"istest":true}' });
        expectRefused(answer, 401, 'unauthorized');
      },
    },
  ],
  credentials: [
    ...(
      [
        ['wrong credentials', [WRONG]],
        ['no credentials', []],
        ['two Authorization headers', [GOOD, GOOD]],
        ['a wrong and a good Authorization header', [WRONG, GOOD]],
      ] as const
    ).map(
      ([what, headers]): Case => ({
        name: `${what}: 401 with a challenge`,
        run: (to) =>
          expectNotHandled(
            to,
            botMessageBody(),
            (body) => send(to, { headers: [JSON_TYPE, ...headers], body }),
            (answer) =>
              expectRefused(answer, 401, 'unauthorized', {
                'www-authenticate': 'Basic realm="handoff-kit", Bearer realm="handoff-kit"',
              }),
          ),
      }),
    ),
    {
      name: 'a wrong token in the path: 401',
      run: (to) =>
        expectNotHandled(
          to,
          chatBody(),
          (body) => send(to, { path: `${BASE}/wrong/chat`, headers: [JSON_TYPE], body }),
          (answer) => expectAnswer(answer, 401, '{"code":401,"message":"unauthorized"}'),
        ),
    },
    {
      name: 'a token in the path is enough, even if encoded',
      async run(to) {
        const escaped = `%${PATH_TOKEN.charCodeAt(0).toString(16)}${PATH_TOKEN.slice(1)}`;
        for (const token of [PATH_TOKEN, escaped]) {
          const body = chatBody();
          const answer = await send(to, {
            path: `${BASE}/${token}/chat?from=platform`,
            headers: [JSON_TYPE],
            body: JSON.stringify(body),
          });
          expectAnswer(answer, 200, HANDOFF_SUCCESS);
          await expectOnly(to, body.conversation_id, ['handoff.message']);
        }
      },
    },
    {
      name: 'wrong credentials are refused before the body arrives',
      async run(to) {
        const head = bytesOf({ path: BASE, headers: [JSON_TYPE, WRONG, ['Content-Length', '1000']] });
        expectRefused(await sendPieces(to, [head]), 401, 'unauthorized');
      },
    },
    {
      name: 'the sender’s address reaches an auth function',
      async run(to) {
        const body = botMessageBody();
        const headers: Header[] = [JSON_TYPE, [LOCAL, 'yes']];
        expectAnswer(await send(to, { headers, body: JSON.stringify(body) }), 200, MESSAGE_SUCCESS);
        await expectOnly(to, body.conversation_id, ['message']);
      },
    },
  ],
  bodies: [
    { name: 'every kind of event reaches its handler', run: expectEveryEvent },
    {
      name: 'UTF-8 that arrives in pieces is put together',
      async run(to) {
        const body = chatBody({ body: 'zwölf 🙂 Grüße, 漢字' });
        const bytes = bytesOf({
          path: `${HANDOFF}/chat`,
          headers: [JSON_TYPE],
          body: JSON.stringify(body),
        });
        const pieces = [...bytes].map((byte) => Buffer.from([byte]));
        expectAnswer(await sendPieces(to, pieces), 200, HANDOFF_SUCCESS);
        await to.notes.untilEvent(
          (note) => note.conversationId === body.conversation_id && note.text === body.body,
        );
      },
    },
    {
      name: 'a body without an announced length is read',
      async run(to) {
        const body = botMessageBody();
        const text = JSON.stringify(body);
        const answer = await send(to, {
          headers: [JSON_TYPE, GOOD, CHUNKED],
          body: `${chunk(text.slice(0, 50))}${chunk(text.slice(50))}0\r\n\r\n`,
        });
        expectAnswer(answer, 200, MESSAGE_SUCCESS);
        await expectOnly(to, body.conversation_id, ['message']);
      },
    },
    {
      name: 'integers above 2^53 are exact',
      async run(to) {
        const id = nextLargeId();
        expectAnswer(await post(to, chatOf(id), `${HANDOFF}/chat`), 200, HANDOFF_SUCCESS);
        await expectOnly(to, id, ['handoff.message']);
      },
    },
    {
      name: 'other JSON types are accepted',
      async run(to) {
        for (const type of ['application/json; charset=utf-8', 'application/cloudevents+json']) {
          const body = botMessageBody();
          const headers: Header[] = [GOOD, ['Content-Type', type]];
          expectAnswer(await send(to, { headers, body: JSON.stringify(body) }), 200, MESSAGE_SUCCESS);
          await expectOnly(to, body.conversation_id, ['message']);
        }
      },
    },
    ...(
      [
        ['no JSON', '{"conversation_id":', 'body is not JSON'],
        ['an empty body', '', 'body is empty'],
        ['a list', '[]', 'body is not a JSON object'],
        ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]), 'body is not UTF-8'],
        ['a forbidden key', '{"__proto__":{}}', 'body has a forbidden key'],
        ['a body of another shape', '{"conversation_id":{}}', 'invalid body: conversation_id'],
      ] as const
    ).map(
      ([what, body, reason]): Case => ({
        name: `${what}: 400`,
        async run(to) {
          const answer = await send(to, { headers: [JSON_TYPE, GOOD], body });
          expect(answer.status).toBe(400);
          expect(answer.body).toContain(`{"code":400,"msg":"${reason}`);
          await expectOnly(to, undefined);
        },
      }),
    ),
    ...(
      [
        ['another content type', [['Content-Type', 'text/plain']], 'content type not supported'],
        ['no content type', [], 'content type missing'],
        ['another charset', [['Content-Type', 'application/json; charset=utf-16']], 'charset not supported'],
      ] as const
    ).map(
      ([what, headers, reason]): Case => ({
        name: `${what}: 415`,
        run: (to) =>
          expectNotHandled(
            to,
            botMessageBody(),
            (body) => send(to, { headers: [GOOD, ...headers], body }),
            (answer) => expectRefused(answer, 415, reason),
          ),
      }),
    ),
    {
      name: 'a compressed body: 415',
      run: (to) =>
        expectNotHandled(
          to,
          botMessageBody(),
          (body) =>
            send(to, { headers: [JSON_TYPE, GOOD, ['Content-Encoding', 'gzip']], body: gzipSync(body) }),
          (answer) => expectRefused(answer, 415, 'content encoding not supported'),
        ),
    },
  ],
  limits: [
    {
      name: 'a body whose announced length is too large is refused at once',
      async run(to) {
        const head = bytesOf({
          path: BASE,
          headers: [JSON_TYPE, GOOD, ['Content-Length', String(BODY_BYTES + 1)]],
        });
        expectRefused(await sendPieces(to, [head]), 413, 'body too large');
      },
    },
    {
      name: 'a body that turns out to be too large is refused',
      run: (to) =>
        expectNotHandled(
          to,
          botMessageBody({ padding: 'x'.repeat(BODY_BYTES) }),
          (text) => send(to, { headers: [JSON_TYPE, GOOD, CHUNKED], body: `${chunk(text)}0\r\n\r\n` }),
          (answer) => expectRefused(answer, 413, 'body too large'),
        ),
    },
    {
      name: 'a body of the largest size is accepted',
      async run(to) {
        const body = botMessageBody();
        const text = JSON.stringify(body);
        const padded = text + ' '.repeat(BODY_BYTES - Buffer.byteLength(text));
        expectAnswer(await post(to, padded), 200, MESSAGE_SUCCESS);
        await expectOnly(to, body.conversation_id, ['message']);
      },
    },
    {
      name: 'a body that takes too long is refused',
      options: { readTimeoutMs: 300 },
      async run(to) {
        const head = bytesOf({ path: BASE, headers: [JSON_TYPE, GOOD, ['Content-Length', '1000']] });
        expectRefused(await sendPieces(to, [head, '{"conversation_id"']), 408, 'body took too long');
      },
    },
  ],
  'hang-ups': [
    {
      name: 'a sender that hangs up mid-body gets no answer, and no handler runs',
      async run(to) {
        const body = botMessageBody();
        const bytes = bytesOf({ path: BASE, headers: [JSON_TYPE, GOOD], body: JSON.stringify(body) });
        const socket = await dial(to.port);
        const answered = readAll(socket);
        socket.write(bytes.subarray(0, -10), () => socket.destroy());
        expect((await answered).toString()).toBe('');
        await to.notes.untilRefused(499);
        await expectOnly(to, body.conversation_id);
      },
    },
  ],
  answers: [
    {
      name: 'the sender’s request id is in the answer and the handler’s context',
      async run(to) {
        const body = botMessageBody();
        const answer = await post(to, body, BASE, ['X-Request-Id', 'from-the-sender']);
        expectAnswer(answer, 200, MESSAGE_SUCCESS, { 'x-request-id': 'from-the-sender' });
        await to.notes.untilEvent(
          (note) => note.conversationId === body.conversation_id && note.requestId === 'from-the-sender',
        );
      },
    },
    {
      name: 'a request without an id gets one, in the answer and the handler’s context',
      async run(to) {
        const body = botMessageBody();
        const [requestId] = (await post(to, body)).headers.get('x-request-id') ?? [];
        await to.notes.untilEvent(
          (note) => note.conversationId === body.conversation_id && note.requestId === requestId,
        );
      },
    },
    {
      name: 'another method: 405',
      async run(to) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const answer = await send(to, { method, path: `${HANDOFF}/chat`, headers: [JSON_TYPE] });
          expectAnswer(answer, 405, '{"code":405,"message":"method not allowed"}', { allow: 'POST' });
        }
      },
    },
    {
      name: 'the host answers other paths',
      async run(to, { notFound }) {
        for (const path of [`${BASE}/unknown`, `${BASE}/unknown/path`]) {
          const answer = await post(to, botMessageBody(), path);
          expect(answer.status).toBe(404);
          expect(answer.body).toContain(notFound);
        }
      },
    },
    {
      name: 'a handler that throws: 500',
      async run(to) {
        const answer = await post(to, botMessageBody(textOf(FAIL)));
        expectRefused(answer, 500, 'handler failed');
        await expectOnly(to, undefined);
      },
    },
    {
      name: 'a receiver that closes: 503',
      options: { readTimeoutMs: 5_000 },
      async run(to) {
        expectAnswer(await post(to, botMessageBody(textOf(CLOSE))), 200, MESSAGE_SUCCESS);
        expectRefused(await post(to, botMessageBody()), 503, 'shutting down', { 'retry-after': '5' });
      },
    },
  ],
};

const PARSED = 'a body that was read before the receiver';
const WHOLE_HANDOFF = 'a user is greeted, answered and let go: the platform’s own requests';

/** The cases by group: the columns of the table in docs/hosts.md. */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(CASES).map(([group, cases]) => [group, cases.map(({ name }) => name)]),
  ),
  'parsed bodies': [PARSED],
  handoff: [WHOLE_HANDOFF],
};

/** Runs every case over a host. */
export function describeHost(name: HostName, host: Host): void {
  const { parsers = {} } = host;
  const leavesOut: LeftOut = HOSTS[name];
  const titles = new Set<string>();
  const run = (title: string, test: () => Promise<void>): void => {
    titles.add(title);
    const reason = leavesOut[title];
    if (reason === undefined) {
      it(title, test);
      return;
    }
    process.stderr.write(`${name} leaves out "${title}": ${reason}\n`);
    it(title, ({ skip }) => skip(reason));
  };

  describe(name, () => {
    for (const [group, cases] of Object.entries(CASES)) {
      describe(group, () => {
        for (const { name: title, options = {}, run: test } of cases) {
          run(title, async () => test(await host.start(options), host));
        }
      });
    }

    describe('parsed bodies', () => {
      if (Object.keys(parsers).length === 0) run(PARSED, async () => {});
      for (const [what, parser] of Object.entries(parsers)) {
        const { keepsBytes } = parser;
        run(`every kind of event reaches its handler after ${what}`, async () =>
          expectEveryEvent(await parser.start({})),
        );
        run(`an integer above 2^53 after ${what}: ${keepsBytes ? 'exact' : '400'}`, async () => {
          const to = await parser.start({});
          const id = nextLargeId();
          const answer = await post(to, chatOf(id), `${HANDOFF}/chat`);
          if (keepsBytes) expectAnswer(answer, 200, HANDOFF_SUCCESS);
          else expectAnswer(answer, 400, '{"code":400,"message":"invalid body: conversation_id"}');
          await expectOnly(to, id, keepsBytes ? ['handoff.message'] : []);
        });
        run(`wrong credentials after ${what}: 401`, async () => {
          const to = await parser.start({});
          const body = JSON.stringify(botMessageBody());
          expectRefused(await send(to, { headers: [JSON_TYPE, WRONG], body }), 401, 'unauthorized');
        });
      }
    });

    describe('handoff', () => {
      run(WHOLE_HANDOFF, async () => {
        const apiKey = 'key-of-the-bot';
        const simulator = createSimulator({
          bots: [{ id: 'bot', apiKey }],
          earlyReplies: host.answersLast ? 'keep' : 'refuse',
        });
        onTestFinished(() => simulator.close());
        const to = await host.start({ platform: { baseUrl: await simulator.listen(), apiKey } });
        const origin = `http://127.0.0.1:${to.port}`;
        simulator.bots.update('bot', {
          message: { url: `${origin}${BASE}`, username: USERNAME, secret: SECRET },
          humanServices: [{ componentId: 'desk', url: `${origin}${HANDOFF}` }],
        });
        const checked = await simulator.check(apiKey);
        expect(checked.map(({ reachable }) => reachable)).toEqual([true, true]);

        const handoff = await simulator.requestHandoff();
        expect((await handoff.nextReply()).text).toBe('One moment, please.');
        await handoff.say('Where is it?');
        expect((await handoff.nextReply()).text).toBe('You said: Where is it?');
        await handoff.closeByUser();
        await to.notes.untilEvent((note) => note.event === 'handoff.closed');
      });
    });

    it('leaves out only cases that exist', () => {
      expect(Object.keys(leavesOut).filter((title) => !titles.has(title))).toEqual([]);
    });
  });
}
