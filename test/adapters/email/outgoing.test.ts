import type { SendMailOptions } from 'nodemailer';
import { expect, it } from 'vitest';
import { createOutgoing } from '../../../src/adapters/email/outgoing.js';
import { checkSettings } from '../../../src/adapters/email/settings.js';
import type { HandoffSession } from '../../../src/bridge/index.js';
import { CALL, routedTo, SESSION } from '../../fixtures/adapter-session.js';

const settings = checkSettings({
  smtpUrl: 'smtps://handoff:secret@mail.example.com',
  imapUrl: 'imaps://handoff:secret@mail.example.com',
  address: 'handoff@example.com',
  team: 'team@example.com',
  agents: ['@example.com'],
  trustedServer: null,
});

/** The mails that are sent when a session is opened. */
async function openedWith(...sessions: HandoffSession[]): Promise<readonly SendMailOptions[]> {
  const sent: SendMailOptions[] = [];
  const mailer = {
    send: async (mail: SendMailOptions) => void sent.push(mail),
    verify: async () => {},
  };
  const mailbox = { once: () => Promise.reject(new Error('not used')) };
  const outgoing = createOutgoing(mailer, Object.assign(Object.create(null), mailbox), settings);
  for (const session of sessions) await outgoing.open(session, CALL);
  return sent;
}

const asking = (text: string): HandoffSession => ({ ...SESSION, transcript: [{ from: 'user', text }] });

it('the first mail of a conversation has the priority and the tags of its route', async () => {
  const [plain, routed] = await openedWith(SESSION, routedTo('Shipping'));
  expect(plain).not.toHaveProperty('priority');
  expect(plain?.headers).not.toHaveProperty('Keywords');
  expect(routed).toMatchObject({ priority: 'high', headers: { Keywords: 'premium, late parcel' } });
  expect(routed?.text).toContain('Department: Shipping\nPriority: high\nTags: premium, late parcel');
});

it('a user cannot make replies look automatic', async () => {
  const [mail] = await openedWith(asking('Automatic reply: what is that?'));
  expect(mail?.subject).toMatch(/^“Automatic reply: what is that\?” \[#\w{16}\]$/);
});
