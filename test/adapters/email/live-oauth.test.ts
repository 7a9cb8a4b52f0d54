import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { email } from '../../../src/adapters/email/index.js';
import { CALL, SESSION } from '../../fixtures/adapter-session.js';
import { until } from '../request-tracker/rt/until.js';
import { settingsFor } from './live-settings.js';
import { mailAgent } from './mail-server/mail-agent.js';
import { describeWithMail, type MailServer, startMailServer } from './mail-server/start-mail-server.js';
import { startProvider } from './oauth-provider.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

describeWithMail('logins with OAuth 2 at exim and dovecot', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(() => server?.remove());

  const start = async () => {
    const { tokenUrl, forms } = await startProvider((token) => server.acceptToken('handoff', token));
    const adapter = email(
      settingsFor(server, {
        smtpUrl: server.smtpUrl().replace(/:[^:@]+@/, '@'),
        imapUrl: server.imapUrl().replace(/:[^:@]+@/, '@'),
        oauth: { tokenUrl, clientId: 'app', clientSecret: 'secret' },
      }),
    );
    onTestFinished(() => adapter.dispose?.());
    return { adapter, forms };
  };

  it('carry a conversation to the team and back', async () => {
    const { adapter } = await start();
    const { cursor = '' } = (await adapter.poll?.(null, CALL)) ?? {};
    const { externalId } = await adapter.open(SESSION, CALL);
    await server.settled();
    await mailAgent(server, 'ann').reply(externalId, 'It arrives today.');
    const events = await until('the reply', async () => {
      const read = (await adapter.poll?.(cursor, CALL))?.events ?? [];
      return read.length > 0 && read;
    });
    expect(events).toMatchObject([{ kind: 'message', externalId, text: 'It arrives today.' }]);
  });

  it('get a new token when the servers refuse the last', async () => {
    const { adapter, forms } = await start();
    const isFine = async () => (await adapter.check(CALL)).every(({ ok }) => ok);
    expect(await isFine()).toBe(true);
    server.acceptToken('handoff', 'another token altogether');
    expect(await isFine()).toBe(true);
    // dovecot reads its file at most once a second, and can refuse the second one.
    expect(forms.length).toBeGreaterThan(1);
  });
});
