import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { createReceiver, type Delivery, inline, type Receiver } from '../../src/public/index.js';
import {
  type BenchReceiverOptions,
  createTestBench,
  type ReplayOptions,
  replay,
} from '../../src/public/testing.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { linesOf } from './support.js';

type Handle = (receiver: Receiver) => unknown;

/** Greets, and answers each message twice. */
const answers: Handle = (receiver) =>
  receiver
    .on('message', () => {})
    .on('handoff.requested', async ({ reply }) => {
      await reply('Hello! How can I help?');
    })
    .on('handoff.message', async ({ text, reply, end }) => {
      await reply('One moment, please.');
      await reply(`You said: ${text}`);
      if (text.length === 3) await end();
    });

const DELIVERIES: Readonly<Record<string, () => Promise<Delivery>>> = {
  inline: async () => inline(),
  sqlite: async () => sqlite({ file: join(await temporaryFolder(), 'handoff.db'), pollMs: 20 }),
};

/** A recording of two handoffs and a bot's message. */
async function record(delivery: Delivery, keepContent = false): Promise<string> {
  const to = join(await temporaryFolder(), 'recording.jsonl');
  const bench = await createTestBench({
    replyTimeoutMs: 30_000,
    receiver: async (options) => {
      const receiver = createReceiver({ ...options, delivery, record: { to, keepContent } });
      answers(receiver);
      await receiver.start();
      return receiver;
    },
  });
  await bench.botMessage('Your parcel is on its way.');
  for (const last of ['Thank you very much', 'bye']) {
    await bench.requestHandoff({ user: { userId: 'ada-lovelace', email: 'ada@example.com' } });
    await bench.nextReply();
    await bench.say('Where is my parcel?');
    await bench.nextReply();
    await bench.nextReply();
    await bench.say(last);
    await bench.nextReply();
    await bench.nextReply();
  }
  await bench.idle();
  await bench.close();
  return to;
}

const replayed = (file: string, handle: Handle, delivery: Delivery = inline(), options: ReplayOptions = {}) =>
  replay(
    file,
    (given: BenchReceiverOptions) => {
      const receiver = createReceiver({ ...given, delivery });
      handle(receiver);
      return receiver;
    },
    options,
  );

describe.each(Object.entries(DELIVERIES))(
  'a recording of a receiver with %s delivery',
  (_name, createDelivery) => {
    it('has both directions, and replays without a difference', async () => {
      const file = await record(await createDelivery());
      const text = await readFile(file, 'utf8');
      expect(text).not.toMatch(/parcel|Hello|moment|lovelace|example\.com/);
      const lines = linesOf(text);
      expect(lines.filter(({ to }) => to === 'receiver').map(({ endpoint }) => endpoint)).toEqual(
        expect.arrayContaining(['message', 'establish', 'chat']),
      );
      expect(lines.filter(({ endpoint }) => endpoint === 'reply')).toHaveLength(10);
      expect((await stat(file)).mode & 0o777).toBe(0o600);

      const report = await replayed(file, answers, await createDelivery());
      expect(report).toMatchObject({ replies: 11, skipped: 0, differences: [] });
      expect(report.sent).toBe(lines.filter(({ to }) => to === 'receiver').length);
    });

    it('replays twice on the same receiver, since conversations get new ids', async () => {
      const file = await record(await createDelivery());
      const store = join(await temporaryFolder(), 'handoff.db');
      for (const _ of [1, 2]) {
        const { differences } = await replayed(file, answers, sqlite({ file: store, pollMs: 20 }));
        expect(differences).toEqual([]);
      }
    });
  },
);

describe('a replay reports', () => {
  it('another status and another answer', async () => {
    const file = await record(inline());
    const { differences } = await replayed(file, (receiver) => {
      answers(receiver);
      receiver.on('handoff.message', ({ text }) => {
        if (text.length === 3) throw new Error('a mistake');
      });
    });
    expect(differences).toMatchObject([{ kind: 'status', endpoint: 'chat', recorded: 200, now: 500 }]);

    const other = await replay(file, (given: BenchReceiverOptions) => {
      const receiver = createReceiver({ ...given, answers: { success: { code: 0, message: 'fine' } } });
      answers(receiver);
      return receiver;
    });
    expect(other.differences.map(({ kind, endpoint }) => `${kind} ${endpoint}`)).toEqual(
      expect.arrayContaining(['answer establish', 'answer chat']),
    );
  });

  it.each<[string, Handle, object[]]>([
    [
      'a reply that is missing',
      (receiver) =>
        receiver.on('handoff.message', async ({ text, reply, end }) => {
          await reply('One moment, please.');
          if (text.length !== 3) await reply(`You said: ${text}`);
          else await end();
        }),
      [{ kind: 'missing', endpoint: 'reply', recorded: { body: 'xxx xxxx: xxx' }, now: null }],
    ],
    [
      'a reply that comes twice',
      (receiver) =>
        receiver.on('handoff.message', async ({ text, reply, end }) => {
          await reply('One moment, please.');
          await reply(`You said: ${text}`);
          if (text.length !== 3) return;
          await reply(`You said: ${text}`);
          await end();
        }),
      [{ kind: 'extra', endpoint: 'reply', recorded: null, now: { body: 'xxx xxxx: xxx' } }],
    ],
    [
      'replies in another order',
      (receiver) =>
        receiver.on('handoff.message', async ({ text, reply, end }) => {
          if (text.length === 3) await reply(`You said: ${text}`);
          await reply('One moment, please.');
          if (text.length !== 3) await reply(`You said: ${text}`);
          else await end();
        }),
      [{ kind: 'order', endpoint: 'reply' }],
    ],
    [
      'another text',
      (receiver) =>
        receiver.on('handoff.message', async ({ text, reply, end }) => {
          await reply('One moment, please.');
          await reply(text.length === 3 ? `You wrote this: ${text}` : `You said: ${text}`);
          if (text.length === 3) await end();
        }),
      [{ kind: 'changed', recorded: { body: 'xxx xxxx: xxx' }, now: { body: 'xxx xxxxx xxxx: xxx' } }],
    ],
    [
      'an end that is missing',
      (receiver) =>
        receiver.on('handoff.message', async ({ text, reply }) => {
          await reply('One moment, please.');
          await reply(`You said: ${text}`);
        }),
      [{ kind: 'missing', endpoint: 'close' }],
    ],
  ])('%s', async (_name, handle, expected) => {
    const file = await record(inline());
    const { differences } = await replayed(
      file,
      (receiver) => {
        receiver
          .on('message', () => {})
          .on('handoff.requested', async ({ reply }) => {
            await reply('Hello! How can I help?');
          });
        handle(receiver);
      },
      inline(),
      { timeoutMs: 5_000 },
    );
    expect(differences).toMatchObject(expected);
    expect(differences).toHaveLength(expected.length);
  });

  it('another word of the same length, if words were kept', async () => {
    const file = await record(inline(), true);
    expect(await readFile(file, 'utf8')).toContain('Where is my parcel?');
    const { differences } = await replayed(file, (receiver) =>
      receiver
        .on('message', () => {})
        .on('handoff.requested', async ({ reply }) => {
          await reply('Hallo! How can I help?');
        })
        .on('handoff.message', async ({ text, reply, end }) => {
          await reply('One moment, please.');
          await reply(`You said: ${text}`);
          if (text.length === 3) await end();
        }),
    );
    expect(differences).toHaveLength(2);
    expect(differences[0]).toMatchObject({
      kind: 'changed',
      recorded: { body: 'Hello! How can I help?' },
      now: { body: 'Hallo! How can I help?' },
    });
  });
});

describe('a replay', () => {
  const header = '{"recording":1,"content":"kept"}';
  const exchange = (n: number, fields: object) =>
    JSON.stringify({
      n,
      at: n * 10,
      ms: 1,
      status: 200,
      answer: { code: 200, message: 'success' },
      ...fields,
    });
  const body = { conversation_id: 'conversation-1', timestamp: 1_742_265_090_895 };
  const fileOf = async (...lines: string[]): Promise<string> => {
    const file = join(await temporaryFolder(), 'recording.jsonl');
    await writeFile(file, `${lines.join('\n')}\n`);
    return file;
  };

  it('plays the answers of the platform: a reply that it refused is sent again', async () => {
    const reply = { to: 'platform', endpoint: 'reply', body: { ...body, body: 'Hello' } };
    const file = await fileOf(
      header,
      exchange(1, { to: 'receiver', endpoint: 'chat', body: { ...body, body: 'Hi' } }),
      exchange(2, { ...reply, status: 503, answer: { code: 50_000, message: 'later' } }),
      exchange(3, { ...reply, status: null, answer: null }),
      exchange(4, reply),
    );
    const outcomes: string[] = [];
    const { differences } = await replay(file, ({ platform, ...given }: BenchReceiverOptions) =>
      createReceiver({ ...given, platform: { ...platform, retry: false } }).on(
        'handoff.message',
        async (chat) => {
          for (const _ of [1, 2, 3]) {
            const sent = chat.reply('Hello').then((receipt) => receipt.delivered());
            outcomes.push(
              await sent.then(
                () => 'sent',
                () => 'failed',
              ),
            );
          }
        },
      ),
    );
    expect(differences).toEqual([]);
    expect(outcomes).toEqual(['failed', 'failed', 'sent']);
  });

  it('lets the caller do what agents did', async () => {
    const file = await fileOf(
      header,
      exchange(1, { to: 'receiver', endpoint: 'establish', body: { ...body, body: [] } }),
      exchange(2, { to: 'platform', endpoint: 'reply', body: { ...body, body: 'Hello from an agent' } }),
      exchange(3, { to: 'receiver', endpoint: 'chat', body: { ...body, body: 'Hi' } }),
      exchange(4, { to: 'platform', endpoint: 'close', body }),
    );
    let receiver: Receiver | undefined;
    const { differences } = await replay(
      file,
      (given: BenchReceiverOptions) => {
        receiver = createReceiver({ ...given, unhandled: 'accept' });
        return receiver;
      },
      {
        agent: ({ conversationId, endpoint, text }) =>
          endpoint === 'reply'
            ? receiver?.conversations.reply(conversationId, text)
            : receiver?.conversations.end(conversationId),
      },
    );
    expect(differences).toEqual([]);
  });

  it('leaves out requests that were refused for their credentials, or are not in the recording', async () => {
    const file = await fileOf(
      header,
      exchange(1, { to: 'receiver', endpoint: 'chat', status: 401, body: { ...body, body: 'Hi' } }),
      exchange(2, { to: 'receiver', endpoint: 'chat', body: null, answer: null, withheld: true }),
      exchange(3, { to: 'receiver', endpoint: 'message', status: 400, body: 'not JSON' }),
      '{"n":4,"at":5,"to":"rece',
    );
    await writeFile(file, (await readFile(file, 'utf8')).trimEnd());
    expect(await replayed(file, answers)).toMatchObject({ sent: 0, skipped: 3, differences: [] });
  });

  it.each([
    ['', 'is empty'],
    ['{"n":1}\n', 'does not begin with'],
    ['{"recording":2}\n', 'has version 2'],
    [`${header}\nnonsense\n`, 'invalid line 2'],
    [`${header}\n{"n":"1"}\n`, 'invalid line 2'],
  ])('refuses what is no recording: %j', async (text, problem) => {
    const file = join(await temporaryFolder(), 'recording.jsonl');
    await writeFile(file, text);
    await expect(replayed(file, answers)).rejects.toMatchObject({
      code: 'RECORDING_INVALID',
      message: expect.stringContaining(problem) as string,
    });
  });

  it('reads the parts that later starts have appended, each with conversations of its own', async () => {
    const file = await record(inline());
    const once = await readFile(file, 'utf8');
    await writeFile(file, once + once);
    expect(await replayed(file, answers)).toMatchObject({ replies: 22, differences: [] });
  });
});
