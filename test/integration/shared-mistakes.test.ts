import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { createPlatformClient, type PlatformClient } from '../../src/client/index.js';
import { createSimulator } from '../../src/simulator/index.js';

// The client's contract with mistakes in it: schemas that accept anything, a wrong path, a wrong text.
vi.mock('../../src/protocol/knowledge.js', async (load) => ({
  ...(await load<object>()),
  qaAdd: z.any(),
  qaUpdate: z.any(),
}));
vi.mock('../../src/protocol/platform-api.js', async (load) => {
  const real = await load<typeof import('../../src/protocol/platform-api.js')>();
  return {
    ...real,
    agentReply: z.any(),
    agentClose: z.any(),
    PLATFORM_PATHS: { ...real.PLATFORM_PATHS, checkWebhooks: '/v1/webhooks/check' },
    HEALTHY: 'platform is fine',
  };
});

async function start() {
  const simulator = createSimulator({ bots: [{ id: 'bot-1', apiKey: 'the-key-of-bot-1' }] });
  onTestFinished(simulator.close);
  const baseUrl = await simulator.listen();
  return { client: createPlatformClient({ baseUrl, apiKey: 'the-key-of-bot-1', retry: false }) };
}

const qaList = [{ question: 'Open when?', answer: 'From nine to five.' }];
const url = 'http://127.0.0.1:1/a';
const files = (count: number, docId = 'd') =>
  Array.from({ length: count }, () => ({ doc_id: docId, file_url: url, source_url: url, file_name: 'a' }));

/** Sends a body that need not fit the client's types. */
async function send({ knowledge }: PlatformClient, name: keyof PlatformClient['knowledge'], body: object) {
  await Reflect.apply(knowledge[name], knowledge, [body]);
}

describe("the simulator detects a mistake in the client's contract", () => {
  it.each([
    ['no purpose', { name: 'n', qaList }],
    ['QA_TEXT without a name', { purpose: 'QA_TEXT', qaList }],
    ['QA_TEXT without pairs', { purpose: 'QA_TEXT', name: 'n' }],
    ['21 files', { purpose: 'QA_FILE', files: files(21) }],
    ['a chunk_token that is text', { purpose: 'FILE_2_QA', files: files(1), chunk_token: '600' }],
  ])('addQa with %s is refused with 40000', async (_name, body) => {
    const { client } = await start();
    await expect(send(client, 'addQa', body)).rejects.toMatchObject({ platformCode: 40000, status: 400 });
  });

  it.each([
    ['pairs and files', (docId: string) => ({ doc_id: docId, qaList, files: files(1, docId) })],
    ['neither pairs nor files', (docId: string) => ({ doc_id: docId })],
    ['21 files', (docId: string) => ({ files: files(21, docId) })],
  ])('updateQa with %s is refused with 40000', async (_name, bodyFor) => {
    const { client } = await start();
    const { doc } = await client.knowledge.addQa({ purpose: 'QA_TEXT', name: 'n', qaList });
    const body = bodyFor(doc[0]?.doc_id ?? '');
    await expect(send(client, 'updateQa', body)).rejects.toMatchObject({ platformCode: 40000, status: 400 });
  });

  it('an empty reply and a close without a conversation are refused with 40000', async () => {
    const { client } = await start();
    await expect(client.reply({ conversationId: 'c', text: '' })).rejects.toMatchObject({
      platformCode: 40000,
    });
    await expect(client.end({ conversationId: '' })).rejects.toMatchObject({ platformCode: 40000 });
  });

  it('a wrong path is not found', async () => {
    const { client } = await start();
    await expect(client.webhooks.check()).rejects.toMatchObject({ status: 404 });
  });

  it('another health text is not accepted', async () => {
    const { client } = await start();
    expect(await client.webhooks.health()).toMatchObject({ available: false, reason: 'body' });
  });
});
