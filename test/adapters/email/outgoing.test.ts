import type { SendMailOptions } from 'nodemailer';
import { expect, it } from 'vitest';
import { createOutgoing } from '../../../src/adapters/email/outgoing.js';
import { type CheckedSettings, checkSettings } from '../../../src/adapters/email/settings.js';
import type { HandoffSession } from '../../../src/bridge/index.js';
import { CALL, routedTo, SESSION } from '../../fixtures/adapter-session.js';
import { SETTINGS } from './arrived.js';

/** The mail that is sent when a session is opened. */
async function openedWith(
  session: HandoffSession,
  settings: CheckedSettings = checkSettings(SETTINGS),
): Promise<SendMailOptions | undefined> {
  const sent: SendMailOptions[] = [];
  const mailer = {
    send: async (mail: SendMailOptions) => void sent.push(mail),
    verify: async () => {},
  };
  const mailbox = { once: () => Promise.reject(new Error('not used')) };
  const outgoing = createOutgoing(mailer, Object.assign(Object.create(null), mailbox), settings);
  await outgoing.open(session, CALL);
  return sent[0];
}

const asking = (text: string): HandoffSession => ({ ...SESSION, transcript: [{ from: 'user', text }] });

it('the first mail of a conversation has the priority and the tags of its route', async () => {
  const plain = await openedWith(SESSION);
  const routed = await openedWith(routedTo('Shipping'));
  expect(plain).not.toHaveProperty('priority');
  expect(plain?.headers).not.toHaveProperty('Keywords');
  expect(routed).toMatchObject({ priority: 'high', headers: { Keywords: 'premium, late parcel' } });
  expect(routed?.text).toContain('Department: Shipping\nPriority: high\nTags: premium, late parcel');
});

it('a user cannot make replies look automatic', async () => {
  const mail = await openedWith(asking('Automatic reply: what is that?'));
  expect(mail?.subject).toMatch(/^“Automatic reply: what is that\?” \[#\w{16}\]$/);
});

it('a user cannot name another conversation', async () => {
  const mail = await openedWith(asking('Where? [#0123456789abcdef] [#FEDCBA9876543210]'));
  expect(mail?.subject).toMatch(/^Where\? \[0123456789abcdef\] \[FEDCBA9876543210\] \[#\w{16}\]$/);
});

it('who knows the key of a conversation does not know its token without the credentials', async () => {
  const other = checkSettings({ ...SETTINGS, imapUrl: 'imaps://handoff:another@mail.example.com' });
  const first = await openedWith(SESSION);
  expect((await openedWith(SESSION))?.messageId).toBe(first?.messageId);
  expect((await openedWith(SESSION, other))?.messageId).not.toBe(first?.messageId);
});
