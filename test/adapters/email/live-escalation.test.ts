import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createChannels } from '../../../src/desk/server/notify/escalation-channels.js';
import {
  addressOf,
  describeWithMail,
  type MailServer,
  startMailServer,
} from './mail-server/start-mail-server.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const NOTICE = {
  id: 'one 1',
  url: 'https://help.example.com/desk/#/one',
  conversationId: 'one',
  waitingSince: '2026-01-01T00:00:00.000Z',
  waitedSeconds: 425,
  isFirstAnswer: false,
  agent: null,
};

describeWithMail('the mail that a conversation waits, at exim', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer();
  });
  afterAll(() => server?.remove());

  const channelTo = (smtpUrl: string) => {
    const [channel] = createChannels({
      email: { smtpUrl, from: addressOf('handoff'), to: [addressOf('team'), addressOf('ann')] },
    });
    if (!channel) throw new Error('there is no channel');
    return channel;
  };

  it('reaches each address of the team, with the link', async () => {
    await channelTo(`smtp://127.0.0.1:${server.smtpPort}?tls=off`).send(NOTICE);
    await server.settled();
    for (const account of ['team', 'ann'] as const) {
      const [mail, ...others] = await server.mails(account);
      expect(others).toEqual([]);
      expect(mail?.subject).toBe('A conversation has waited 7 minutes for an answer');
      expect(mail?.text).toContain(NOTICE.url);
    }
  });

  it('fails with a reason and without the password: postponed, no TLS that can be trusted, nobody there', async () => {
    const end = server.trouble('postpone');
    await expect(channelTo(`smtp://127.0.0.1:${server.smtpPort}?tls=off`).send(NOTICE)).rejects.toThrow(
      /^the SMTP server refused \(4\d\d\)$/,
    );
    end();
    await expect(channelTo(server.smtpUrl()).send(NOTICE)).rejects.toThrow(
      /^the SMTP server refused \(E\w+\)$/,
    );
    await expect(channelTo('smtp://127.0.0.1:9?tls=off').send(NOTICE)).rejects.toThrow(/\(E\w+\)$/);
  });
});
