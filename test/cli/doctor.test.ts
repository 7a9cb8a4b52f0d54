import type { RequestListener } from 'node:http';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { type ReceiverTarget, redactSecrets } from '../../src/doctor/index.js';
import { bearer, noAuth, pathToken, webhookUser } from '../../src/public/index.js';
import { MISTAKES, type Mistake } from '../fixtures/wrong-receiver-mistakes.js';
import { BEARER_TOKEN, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { serve } from '../helpers/serve.js';
import { makeReceiver } from '../helpers/start.js';
import { checksAgainst, diagnose, wrongReceiver } from './diagnose.js';

/** What the specification asks of a developer, and nothing more: deliveries are stored and tests are not. */
function minimalReceiver(stored: unknown[]): RequestListener {
  const authorization = `Basic ${Buffer.from(`${USERNAME}:${SECRET}`).toString('base64')}`;
  return (request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const isMessage = request.url === '/hook';
      try {
        if (isMessage && request.headers.authorization !== authorization) throw new Error('unauthorized');
        const body = JSON.parse(text);
        if (body.istest !== true) stored.push(body);
        response.end(JSON.stringify(isMessage ? { code: 200, msg: 'success' } : { code: 0, message: 'ok' }));
      } catch (error) {
        response.writeHead(String(error).includes('unauthorized') ? 401 : 500).end(String(error));
      }
    });
  };
}

/** Mistakes that do not hide each other: one examination finds all of a group. `doctor.long.test.ts` has each alone. */
const TOGETHER: readonly (readonly Mistake[])[] = [
  [
    'message-201',
    'handoff-says-ok',
    'html-type',
    'no-probe-at-root',
    'probe-refused-by-handoff',
    'token-optional',
    'token-not-compared',
    'crash-on-null',
    'users-required',
    'times-as-numbers',
    'milliseconds-only',
    'strict-fields',
    'strict-values',
    'empty-text-refused',
    'small-limit',
    'ascii-only',
    'exact-content-type',
    'crash-on-garbage',
    'list-accepted',
    'ids-not-needed',
    'kinds-not-checked',
    'stack-traces',
    'repeat-refused',
    'busy-beyond-five',
  ],
  ['establish-busy'],
  ['chat-missing'],
  ['close-fails'],
  [
    'msg-misspelt',
    'empty-handoff-answer',
    'probe-refused',
    'probe-unknown-to-handoff',
    'credentials-optional',
    'credentials-not-compared',
    'close-unprotected',
    'text-only',
    'tokens-as-object',
    'any-path',
    'garbage-accepted',
    'crash-on-depth',
    'secret-echoed',
    'no-limit',
  ],
  ['code-as-text', 'secret-ignored', 'bearer-too', 'any-method'],
  ['slow'],
  ['secret-by-prefix'],
  ['hurt-by-hanging-up'],
];

const CREDENTIALS = { username: USERNAME, secret: SECRET };
const webhook = webhookUser(CREDENTIALS);

/** Receivers of this package with the credentials that the doctor uses for each. */
const OURS: [string, Parameters<typeof makeReceiver>[0], Partial<ReceiverTarget>][] = [
  ['without authentication', {}, {}],
  [
    'with credentials and a token in the path',
    { auth: { message: webhook, handoff: pathToken(PATH_TOKEN) } },
    { message: CREDENTIALS, token: PATH_TOKEN },
  ],
  [
    'with the same credentials for both',
    { auth: { message: webhook, handoff: webhook } },
    { message: CREDENTIALS, handoff: CREDENTIALS },
  ],
  [
    'with Bearer for both',
    { auth: { message: webhookUser({ username: USERNAME }), handoff: bearer(BEARER_TOKEN) } },
    { message: { username: USERNAME }, handoff: { username: BEARER_TOKEN } },
  ],
];

describe('the doctor, with a receiver that was not made with this package', () => {
  it('finds nothing wrong with a correct one', async () => {
    expect(await diagnose(await wrongReceiver())).toMatchObject({ ids: [], leftOpen: [] });
  });

  it('fails nothing of one that does only what the specification asks, and gives advice', async () => {
    const stored: unknown[] = [];
    const { url } = await serve(minimalReceiver(stored));
    const target = { url: `${url}/hook`, message: CREDENTIALS, handoff: {} };
    const { failed, advised, leftOpen } = await diagnose(target);
    expect(failed).toEqual([]);
    expect(leftOpen).toEqual([]);
    expect(advised.map(({ id }) => id)).toEqual([
      'answers.type',
      'probe.root',
      'method',
      'path',
      'body.not-json',
      'body.not-object',
      'body.missing',
      'body.mistyped',
      'body.oversized',
    ]);
    expect(stored.length).toBeGreaterThan(50);
  });

  it('names a reply as a possible cause where a handoff request or a chat fails', async () => {
    const { results } = await diagnose(await wrongReceiver());
    for (const id of ['establish.accepted', 'chat.accepted']) {
      expect(results.find((result) => result.id === id)?.advice).toContain(
        'a handler that replies before the answer fails',
      );
    }
  });

  it('requires what the specification says, and credentials that it was given; the rest is advice', async () => {
    const { results } = await diagnose(await wrongReceiver());
    expect(results.flatMap(({ id, level }) => (level === 'required' ? [id] : []))).toEqual([
      'message.accepted',
      'establish.accepted',
      'chat.accepted',
      'close.accepted',
      'message.body',
      'handoff.body',
      'probe.message',
      'probe.handoff',
      'probe.format',
      'probe.effect',
      'credentials.message.missing',
      'credentials.message.wrong',
      'credentials.message.near',
      'credentials.message.secret',
      'credentials.handoff.missing',
      'credentials.handoff.wrong',
      'credentials.handoff.near',
      'user.unknown',
      'content.audio',
      'tolerates.text',
      'concurrent',
      'survives',
    ]);
  });

  it.each(['s', 'age'])('neither masks nor searches for the short secret %j', async (secret) => {
    const credentials = { username: 'u', secret };
    const receiver = makeReceiver({ auth: { message: webhookUser(credentials), handoff: noAuth() } });
    const { url } = await serve(receiver.receiver);
    const target = { url, message: credentials, handoff: {} };
    expect((await diagnose(target)).ids).toEqual([]);
    expect(redactSecrets('a message', target)).toBe('a message');
  });

  it('is tried with every mistake', () => {
    expect(TOGETHER.flat().sort()).toEqual(MISTAKES.map(([mistake]) => mistake).sort());
  });

  it.each(TOGETHER.map((mistakes) => [mistakes]))('finds the mistakes %j', async (mistakes) => {
    const caused = MISTAKES.filter(([mistake]) => mistakes.includes(mistake)).flatMap(([, checks]) => checks);
    expect((await checksAgainst(...mistakes)).toSorted()).toEqual([...new Set<string>(caused)].sort());
  });

  it('names the handoffs that it could not close', async () => {
    const { leftOpen } = await diagnose(await wrongReceiver('close-fails'));
    expect(leftOpen.length).toBeGreaterThan(0);
    for (const id of leftOpen) expect(id).toMatch(/^doctor-/);
  });

  it('shows no secret in its results', async () => {
    const target = await wrongReceiver('secret-echoed', 'credentials-optional', 'token-optional');
    const { results } = await diagnose(target);
    const text = JSON.stringify(results);
    for (const secret of [target.token, target.message.secret]) expect(text).not.toContain(secret);
  });
});

describe('the doctor, with a receiver of this package', () => {
  it.each(OURS)('finds nothing wrong with one %s, in Express', async (_name, options, target) => {
    const { receiver } = makeReceiver(options);
    const { url } = await serve(express().use('/webhook', receiver));
    const found = await diagnose({ url: `${url}/webhook`, message: {}, handoff: {}, ...target });
    expect(found).toMatchObject({ ids: [], leftOpen: [] });
  });

  it.each(OURS)('finds nothing wrong with one %s, on node:http', async (_name, options, target) => {
    const { receiver } = makeReceiver(options);
    const { url } = await serve(receiver);
    const found = await diagnose({ url, message: {}, handoff: {}, ...target });
    expect(found).toMatchObject({ ids: [], leftOpen: [] });
  });

  it('can test credentials of every kind', async () => {
    const [, options, target] = OURS[1] ?? [];
    const { url } = await serve(makeReceiver(options).receiver);
    const { results } = await diagnose({ url, message: {}, handoff: {}, ...target });
    const untested = results.filter(({ verdict }) => verdict === 'not testable').map(({ id }) => id);
    expect(untested).toEqual(['probe.effect', 'repeat.effect', 'transport']);
  });

  it('marks the id of every conversation', async () => {
    const { receiver, seen } = makeReceiver();
    const { url } = await serve(receiver);
    await diagnose({ url, message: {}, handoff: {} });
    const ids = seen.flatMap((context) => ('conversationId' in context ? [context.conversationId] : []));
    expect(ids.filter((id) => !id.startsWith('doctor-'))).toEqual([]);
    const opened = seen.filter(({ event }) => event === 'handoff.requested');
    expect(opened.length).toBeGreaterThan(0);
    expect(opened.length).toBeLessThanOrEqual(25);
  });

  it('tests one group alone', async () => {
    const { receiver, seen } = makeReceiver({ auth: { message: noAuth(), handoff: false } });
    const { url } = await serve(receiver);
    const target = { url, message: {}, handoff: {} };
    expect(await diagnose(target, { groups: ['message'] })).toMatchObject({ ids: [] });
    expect(new Set(seen.map(({ event }) => event))).toEqual(new Set(['message', 'probe']));
    expect((await diagnose(target)).ids).toEqual(['establish.accepted', 'chat.accepted', 'close.accepted']);
  });
});

describe('the doctor, when nothing listens', () => {
  it('reports it once, and skips the other checks', async () => {
    const served = await serve(makeReceiver().receiver);
    await served.end();
    const { failed, results } = await diagnose({ url: served.url, message: {}, handoff: {} });
    expect(failed).toHaveLength(1);
    expect(failed[0]?.problems[0]).toContain('nothing listens there');
    expect(results.filter(({ verdict }) => verdict === 'pass')).toEqual([]);
  });
});
