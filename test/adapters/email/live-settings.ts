import type { EmailSettings } from '../../../src/adapters/email/index.js';
import { addressOf, type MailServer } from './mail-server/start-mail-server.js';

/** The settings for the account `handoff` of a mail server, whose agents are Ann and Ben. */
export const settingsFor = (server: MailServer, changes: Partial<EmailSettings> = {}): EmailSettings => ({
  smtpUrl: server.smtpUrl(),
  imapUrl: server.imapUrl(),
  ca: server.ca,
  address: addressOf('handoff'),
  team: addressOf('team'),
  agents: [addressOf('ann'), addressOf('ben')],
  trustedServer: 'mail.example.com',
  pollEveryMs: 100,
  ...changes,
});
