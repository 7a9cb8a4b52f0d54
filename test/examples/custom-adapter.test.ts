import { expect, it, onTestFinished } from 'vitest';
import { createAdapter, harness } from '../../examples/custom-adapter/harness.js';
import { startTinyDesk } from '../../examples/custom-adapter/tiny-desk.js';
import { CALL, SESSION } from '../fixtures/adapter-session.js';

it('the full adapter reports a case that takes no messages any more as gone', async () => {
  const [token = '', secret = ''] = harness.secrets;
  const desk = await startTinyDesk({ token, secret, webhookUrl: 'http://127.0.0.1:9' });
  onTestFinished(() => desk.stop());
  const helpdesk = await harness.start({ webhookUrl: 'http://127.0.0.1:9' });
  onTestFinished(() => helpdesk.stop());
  const adapter = await createAdapter({ baseUrl: desk.url, credentials: 'right', helpdesk });
  const { externalId } = await adapter.open(SESSION, CALL);
  const ref = { ...SESSION, externalId, url: null, extra: {} };
  const message = { key: 'k', text: 'Hello?', sentAt: null };
  await adapter.send(ref, message, CALL);
  const opened = desk.cases.get(externalId);
  if (opened) opened.status = 'archived';
  await expect(adapter.send(ref, message, CALL)).rejects.toMatchObject({ kind: 'gone' });
});
