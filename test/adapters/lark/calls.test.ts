import { describe, expect, it } from 'vitest';
import { lark } from '../../../src/adapters/lark/index.js';
import { CALL, routedTo, SESSION } from '../../fixtures/adapter-session.js';
import { buttonsOf, cardOf, FAKE, refusal, visibleText } from '../../fixtures/lark/fake-lark.js';
import { fakeSettings } from '../../fixtures/lark/harness.js';
import { setUp } from './support.js';

const MESSAGE = { key: 'message-1', text: 'Hello?', sentAt: null };
const USER_LEFT = { by: 'user', text: 'The user has left.' } as const;

const kindOf = (task: Promise<unknown>): Promise<unknown> =>
  task.then(
    () => 'no error',
    (error: { kind?: string }) => error.kind,
  );

describe('open', () => {
  it('sends a card with the user and the question, and the transcript as the start of its thread', async () => {
    const { fake, adapter } = await setUp();
    const opened = await adapter.open(routedTo('Shipping'), CALL);
    const root = fake.get(opened.externalId);
    expect(opened).toEqual({
      externalId: root.message_id,
      extra: { thread: root.thread_id },
      url: root.message_app_link,
    });
    expect(visibleText(root)).toMatch(/^A customer asks for a human\nUser: ada\n.*Department: Shipping/s);
    expect(visibleText(root)).toContain('Where is my parcel?');
    expect(buttonsOf(cardOf(root)).map(({ handoff }) => handoff)).toEqual(['claim', 'close']);
    const [start] = fake.thread(opened.externalId);
    expect(start && visibleText(start)).toBe(
      'Customer: Where is my parcel?\n\nReply in this thread. Messages that begin with // are internal. The button, or !close as the last word, closes the conversation.',
    );
  });

  it('shows what users wrote literally, and keeps within the size of a message', async () => {
    const { fake, adapter } = await setUp();
    const evil = '<at user_id="all"></at> **x** [a](https://b.example)';
    const long = Array.from(
      { length: 400 },
      (_, index) => ({ from: 'bot', text: `包裹 ${index} 💛`.repeat(9) }) as const,
    );
    const transcript = [...long, { from: 'user', text: `${evil}\n`.repeat(60) } as const];
    const { externalId } = await adapter.open({ ...SESSION, transcript }, CALL);
    const root = cardOf(fake.get(externalId));
    expect(root.elements?.[0]).toMatchObject({ tag: 'div', text: { tag: 'plain_text' } });
    const [start] = fake.thread(externalId);
    expect(start?.msg_type).toBe('post');
    expect(start && visibleText(start)).toMatch(/^\[earlier messages were left out\]/);
    expect(start && visibleText(start)).toContain(evil);
    // Twice in JSON, each of these takes seven bytes.
    const escaped = [{ from: 'user', text: '\u0001'.repeat(9_000) } as const];
    await adapter.open({ ...SESSION, key: 'escaped', transcript: escaped }, CALL);
  });

  it('twice has no second effect within an hour', async () => {
    const { fake, adapter } = await setUp();
    const first = await adapter.open(SESSION, CALL);
    expect(await adapter.open(SESSION, CALL)).toEqual(first);
    expect(fake.messages.size).toBe(2);
  });

  it.each([
    [230002, 'auth'],
    [230034, 'auth'],
    [232009, 'auth'],
    [99991672, 'auth'],
    [230071, 'invalid'],
    [230020, 'rate-limited'],
    [230049, 'transient'],
  ])('that is refused with code %i fails with %s', async (code, kind) => {
    const { fake, open } = await setUp();
    fake.nextAnswers.push(refusal(code));
    expect(await kindOf(open())).toBe(kind);
  });
});

describe('find', () => {
  it('finds the card of a session, and completes a thread that has no transcript', async () => {
    const { fake, adapter, proxy } = await setUp();
    expect(await adapter.find(SESSION, CALL)).toBeNull();
    proxy.answer({ status: 503 }, { match: ({ path }) => path.endsWith('/reply') });
    await expect(adapter.open(SESSION, CALL)).rejects.toMatchObject({ kind: 'transient' });
    const [root] = fake.messages.values();
    // A colleague was faster.
    fake.agent.write(root?.message_id ?? '', 'Hello');
    const found = await adapter.find(SESSION, CALL);
    expect(found).toEqual({
      externalId: root?.message_id,
      extra: { thread: root?.thread_id },
      url: root?.message_app_link,
    });
    expect(await adapter.find(SESSION, CALL)).toEqual(found);
    expect(fake.thread(found?.externalId ?? '')).toHaveLength(2);
    expect(await adapter.find({ ...SESSION, key: 'another' }, CALL)).toBeNull();
  });

  it('finds it when Lark returns only the texts of cards, among many others, and not when it was recalled', async () => {
    const { fake, adapter, open } = await setUp();
    const { externalId } = await open();
    const texts = { title: 'A customer asks for a human', elements: [] as object[] };
    const { elements = [] } = cardOf(fake.get(externalId));
    texts.elements.push(elements);
    fake.change(externalId, { body: { content: JSON.stringify(texts) } });
    for (let count = 0; count < 60; count += 1) await open({ ...SESSION, key: `other-${count}` });
    expect(await adapter.find(SESSION, CALL)).toMatchObject({ externalId });
    fake.agent.recall(externalId);
    expect(await adapter.find(SESSION, CALL)).toBeNull();
  });
});

describe('send', () => {
  it('replies in the thread, once for each key', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const { messageId } = await adapter.send(ref, MESSAGE, CALL);
    expect(await adapter.send(ref, MESSAGE, CALL)).toEqual({ messageId });
    await adapter.send(ref, { ...MESSAGE, key: 'message-2', text: ' ' }, CALL);
    expect(fake.thread(ref.externalId).slice(1).map(visibleText)).toEqual(['Hello?', '[empty message]']);
    expect(fake.get(messageId ?? '')).toMatchObject({ thread_id: ref.extra.thread, msg_type: 'post' });
  });

  it('keeps lines, and fits many short ones into a message', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    for (const [index, text] of ['a\n\n  b', `${'\n'.repeat(1_700)}x`, '中"\\'.repeat(800)].entries()) {
      const { messageId } = await adapter.send(ref, { ...MESSAGE, key: `k${index}`, text }, CALL);
      const lines = visibleText(fake.get(messageId ?? ''));
      expect(
        lines
          .split('\n')
          .map((line) => line.trimEnd())
          .join('\n'),
      ).toBe(text);
    }
  });

  it.each([
    [230011, 400, 'gone'],
    [230011, 200, 'gone'],
    [230019, 400, 'gone'],
    [230110, 400, 'gone'],
    [232009, 400, 'gone'],
    [230002, 400, 'auth'],
    [99991663, 400, 'auth'],
    [99991663, 401, 'auth'],
    [99991400, 200, 'rate-limited'],
    [230022, 400, 'invalid'],
    [123456, 200, 'invalid'],
    [2200, 500, 'transient'],
  ])('that is refused with code %i and status %i fails with %s', async (code, status, kind) => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.nextAnswers.push(refusal(code, status));
    // Lark's own text may quote the message.
    const message = expect.not.stringContaining('refused');
    await expect(adapter.send(ref, MESSAGE, CALL)).rejects.toMatchObject({ kind, message });
  });

  it('waits as long as Lark asks', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    for (const [status, code] of [
      [429, 99991400],
      [400, 99991400],
    ] as const) {
      fake.nextAnswers.push({ ...refusal(code, status), headers: { 'x-ogw-ratelimit-reset': '7' } });
      await expect(adapter.send(ref, MESSAGE, CALL)).rejects.toMatchObject({
        kind: 'rate-limited',
        retryAfterMs: 7_000,
      });
    }
  });

  it('fails with transient when something else answers, and with gone when the card was recalled', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.nextAnswers.push({ status: 200, json: 'a proxy' });
    expect(await kindOf(adapter.send(ref, MESSAGE, CALL))).toBe('transient');
    fake.agent.recall(ref.externalId);
    expect(await kindOf(adapter.send(ref, MESSAGE, CALL))).toBe('gone');
  });

  it('uses a new token after one was refused', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.revokeTokens();
    expect(await kindOf(adapter.send(ref, MESSAGE, CALL))).toBe('auth');
    expect(await kindOf(adapter.send(ref, MESSAGE, CALL))).toBe('no error');
  });

  it('ends with its signal when Lark hangs', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.nextAnswers.push('hang');
    const aborted = new AbortController();
    const sending = adapter.send(ref, MESSAGE, { ...CALL, signal: aborted.signal });
    aborted.abort();
    expect(await kindOf(sending)).toBe('transient');
  });
});

describe('close', () => {
  it('posts a notice, and removes the buttons of the card', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    await adapter.close(ref, USER_LEFT, CALL);
    await adapter.close(ref, USER_LEFT, CALL);
    const notices = fake.thread(ref.externalId).map(visibleText);
    expect(notices.filter((text) => text === 'Closed: The user has left.')).toHaveLength(1);
    const root = fake.get(ref.externalId);
    expect(buttonsOf(cardOf(root))).toEqual([]);
    expect(visibleText(root)).toMatch(
      /^Conversation closed\nUser: ada\n.*Where is my parcel\?\nClosed: The user has left\./s,
    );
  });

  it.each([
    { header: { title: { tag: 'plain_text', content: 'Conversation closed' } }, elements: [] },
    // Only the texts of the card.
    { title: 'Conversation closed', elements: [] },
  ])('leaves the card of an agent who closed with the button: %j', async (closed) => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    fake.change(ref.externalId, { body: { content: JSON.stringify(closed) } });
    await adapter.close(ref, USER_LEFT, CALL);
    expect(fake.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  it('shows the user when Lark returns only the texts of the card', async () => {
    const { fake, adapter, open, proxy } = await setUp();
    const ref = await open();
    const items = [
      { ...fake.get(ref.externalId), body: { content: '{"title":"A customer","elements":[]}' } },
    ];
    proxy.answer(
      { status: 200, body: JSON.stringify({ code: 0, data: { items } }) },
      { match: ({ method }) => method === 'GET' },
    );
    await adapter.close(ref, USER_LEFT, CALL);
    expect(visibleText(fake.get(ref.externalId))).toMatch(/^Conversation closed\nUser: ada/);
  });

  it('succeeds when the card is too old to be changed, or was recalled', async () => {
    const { fake, adapter, open } = await setUp();
    const [old, recalled] = [await open(), await open({ ...SESSION, key: 'session-2' })];
    fake.change(old.externalId, { create_time: String(Date.now() - 15 * 86_400_000) });
    fake.agent.recall(recalled.externalId);
    await adapter.close(old, USER_LEFT, CALL);
    await adapter.close(recalled, USER_LEFT, CALL);
    expect(fake.thread(old.externalId).map(visibleText)).toContain('Closed: The user has left.');
  });
});

describe('undelivered', () => {
  it('is a note in the thread', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const reason = { kind: 'ended', text: 'The conversation has ended.' } as const;
    await adapter.undelivered?.(ref, { messageId: 'om_1', text: 'Too late' }, reason, CALL);
    expect(fake.thread(ref.externalId).map(visibleText).at(-1)).toBe(
      '(This reply did not reach the user: "Too late" The conversation has ended.)',
    );
  });
});

describe('catchUp', () => {
  it('lists the thread in order and with the ids of its events, without what was recalled', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    await adapter.send(ref, MESSAGE, CALL);
    const { agent } = fake;
    const ben = { key: '@_user_1', openId: FAKE.colleague, name: 'Ben' };
    const written = [
      agent.write(ref.externalId, 'One'),
      agent.write(ref.externalId, '@_user_1 look', { mentions: [ben] }),
      agent.write(ref.externalId, 'Two'),
      agent.write(ref.externalId, 'Bye ！close'),
    ].map(({ message_id }) => message_id);
    agent.recall(written[2] ?? '');
    const events = (await adapter.catchUp?.(ref, SESSION.requestedAt, CALL)) ?? [];
    const byAgents = events.filter(({ author }) => author.kind === 'agent');
    expect(byAgents).toMatchObject([
      { id: written[0], externalId: ref.externalId, text: 'One', author: { name: 'Ann' } },
      { id: written[1], text: '@Ben look', internal: true },
      { id: written[3], text: 'Bye', internal: false },
      { id: `${written[3]}:close`, kind: 'closed' },
    ]);
    expect(events.filter(({ author }) => author.kind === 'self')).toHaveLength(2);
  });

  it('reads as many pages as the time needs', async () => {
    const { fake, adapter, open } = await setUp();
    const ref = await open();
    const written = Array.from({ length: 130 }, (_, index) =>
      fake.agent.write(ref.externalId, `Reply ${index}`),
    );
    for (const { message_id } of written.slice(0, 20)) fake.change(message_id, { create_time: '1000' });
    const before = fake.requests.length;
    const events = (await adapter.catchUp?.(ref, SESSION.requestedAt, CALL)) ?? [];
    expect(events.map(({ id }) => id)).toEqual(written.slice(20).map(({ message_id }) => message_id));
    expect(fake.requests.length - before).toBe(3);
  });
});

describe('check', () => {
  const ok = (results: readonly { name: string; ok: boolean }[]) =>
    results.map((each) => [each.name, each.ok]);

  it('reports the bot, the chat and the permission to read messages', async () => {
    const { fake, adapter } = await setUp();
    const results = await adapter.check(CALL);
    expect(ok(results)).toEqual([
      ['bot', true],
      ['chat', true],
      ['messages', true],
      ['encrypt key', true],
    ]);
    expect(results[0]?.detail).toContain(FAKE.bot);
    fake.nextAnswers.push({ status: 200, json: { code: 0, bot: {} } }, refusal(232011), refusal(230027));
    expect(ok(await adapter.check(CALL))).toEqual([
      ['bot', true],
      ['chat', false],
      ['messages', false],
      ['encrypt key', true],
    ]);
  });

  it.each([{ appSecret: 'wrong' }, { appId: 'cli_wrong' }])('detects %j', async (settings) => {
    const { adapter } = await setUp(settings);
    const [bot] = await adapter.check(CALL);
    expect(bot).toMatchObject({ name: 'bot', ok: false });
    expect(bot?.detail).toContain('LARK_APP_ID');
  });
});

describe('settings', () => {
  it.each([
    [{ appId: 'cli a' }, /appId/],
    [{ appSecret: '' }, /appSecret/],
    [{ encryptKey: '' }, /encryptKey is missing/],
    [{ verificationToken: [] }, /verificationToken is missing/],
    [{ chat: 'Support' }, /begins with oc_/],
    [{ closeWords: ['good bye'] }, /closeWords/],
    [{ insidePrefix: ' ' }, /insidePrefix/],
    [{ domain: 'feishu' }, /must be a URL/],
    [{ botOpenId: '@handoff' }, /botOpenId/],
  ])('%j are refused', (settings, message) => {
    expect(() => lark({ ...fakeSettings('https://open.feishu.cn'), ...settings })).toThrow(message);
  });
});
