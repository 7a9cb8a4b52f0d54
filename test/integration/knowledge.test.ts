import { describe, expect, it } from 'vitest';
import { fileServer } from './file-server.js';
import { startIntegration } from './integration-setup.js';

const pair = { question: 'How long does it take?', answer: 'Two days.' };

describe('knowledge, from the client to the simulator', () => {
  it('is added as text', async () => {
    const { client, simulator, exchangesWith } = await startIntegration();
    const answer = await client.knowledge.addQa({ purpose: 'QA_TEXT', name: 'Shipping', qaList: [pair] });
    const [document] = simulator.documents();
    expect(document).toMatchObject({ name: 'Shipping', knowledgeBaseId: 'default', pairs: [pair] });
    const sent = { doc: [{ doc_id: document?.docId, doc_name: 'Shipping' }], failed: [] };
    expect(answer).toEqual({ ...sent, missing: 0 });
    expect(exchangesWith('/v1/bot/doc/qa/add').map(({ answer: text }) => JSON.parse(text))).toEqual([sent]);
  });

  it('is added as CSV files, and invalid files are named', async () => {
    const { client, simulator } = await startIntegration();
    const at = await fileServer({
      '/good.csv': 'Topic,Question,Answer\nshipping,"How long, roughly?",Two days.\n',
      '/bad.csv': 'question,answer\nwithout an answer,\n',
    });
    const files = ['good.csv', 'bad.csv', 'missing.csv'].map((name) => ({
      file_url: at(`/${name}`),
      file_name: name,
    }));
    const answer = await client.knowledge.addQa({ purpose: 'QA_FILE', knowledge_base_id: 'kb-1', files });
    expect(answer).toMatchObject({ doc: [{ doc_name: 'good.csv' }], failed: ['bad.csv', 'missing.csv'] });
    expect(simulator.documents()).toMatchObject([
      { knowledgeBaseId: 'kb-1', pairs: [{ question: 'How long, roughly?', answer: 'Two days.' }] },
    ]);
  });

  it('is created from documents', async () => {
    const { client, simulator } = await startIntegration();
    const at = await fileServer({ '/faq.md': '# Shipping\n\nTwo days.\n\n# Returns\n\nThirty days.\n' });
    const files = [{ source_url: at('/faq.md'), file_name: 'faq.md' }];
    await client.knowledge.addQa({ purpose: 'FILE_2_QA', files, chunk_token: 50 });
    expect(simulator.documents()[0]?.pairs).toEqual([
      { question: 'Shipping', answer: 'Two days.' },
      { question: 'Returns', answer: 'Thirty days.' },
    ]);
  });

  it('is replaced as a whole, by pairs or by files', async () => {
    const { client, simulator } = await startIntegration();
    const at = await fileServer({ '/new.txt': 'Fresh text.' });
    const { doc } = await client.knowledge.addQa({
      purpose: 'QA_TEXT',
      name: 'Shipping',
      qaList: [pair, { question: 'Where?', answer: 'Here.' }],
    });
    const docId = doc[0]?.doc_id ?? '';
    const replaced = [{ question: 'When?', answer: 'Now.' }];
    expect(await client.knowledge.updateQa({ doc_id: docId, qaList: replaced })).toEqual({
      doc,
      failed: [],
      missing: 0,
    });
    expect(simulator.documents()).toMatchObject([{ docId, pairs: replaced }]);

    const files = [{ doc_id: docId, source_url: at('/new.txt'), file_name: 'new.txt' }];
    expect(await client.knowledge.updateQa({ files })).toMatchObject({ doc: [{ doc_name: 'new.txt' }] });
    expect(simulator.documents()).toMatchObject([{ docId, pairs: [{ answer: 'Fresh text.' }] }]);
  });

  it('of an unknown document is refused with 40000', async () => {
    const { client } = await startIntegration();
    const update = client.knowledge.updateQa({ doc_id: 'nothing', qaList: [pair] });
    await expect(update).rejects.toMatchObject({
      code: 'PLATFORM_REFUSED',
      status: 400,
      platformCode: 40000,
    });
  });
});
