import { onTestFinished } from 'vitest';
import { type SlackSettings, slack } from '../../../src/adapters/slack/index.js';
import type {
  Adapter,
  AdapterCall,
  AdapterError,
  ConversationRef,
  HandoffSession,
  InboundRequest,
  OpenedConversation,
  ParsedWebhook,
  SignatureVerdict,
} from '../../../src/bridge/index.js';
import { silentLog } from '../../../src/internal/index.js';
import { type SlackRequest, signRequest } from '../../fixtures/slack/deliver.js';
import {
  envelope,
  type FakeSlack,
  type FakeSlackOptions,
  startFakeSlack,
} from '../../fixtures/slack/fake-slack.js';
import { IDS, type SlackEvent } from '../../fixtures/slack/workspace.js';

/** The second argument of adapter methods. */
export const call: AdapterCall = { signal: new AbortController().signal, log: silentLog };

/** Valid settings for tests that make no request. */
export const SETTINGS: SlackSettings = {
  botToken: 'xoxb-1-2-three',
  signingSecret: 'the signing secret',
  channel: IDS.channel,
};

/** An adapter with `verify` and `parse`. */
export type WebhookAdapter = Omit<Adapter, 'verify' | 'parse'> & {
  readonly verify: (request: InboundRequest) => SignatureVerdict;
  readonly parse: (request: InboundRequest) => ParsedWebhook;
};

/** Creates an adapter for tests of `verify` and `parse`. */
export const adapterFor = (settings: Partial<SlackSettings> = {}): WebhookAdapter =>
  slack({ ...SETTINGS, ...settings }) as WebhookAdapter;

/** Starts a fake Slack and creates an adapter for it, until the test ends. */
export async function withFake(
  options: FakeSlackOptions = {},
  settings: Partial<SlackSettings> = {},
): Promise<{ fake: FakeSlack; adapter: WebhookAdapter }> {
  const fake = await startFakeSlack(options);
  onTestFinished(() => fake.stop());
  const { apiUrl, token: botToken, signingSecret } = fake;
  return { fake, adapter: adapterFor({ apiUrl, botToken, signingSecret, ...settings }) };
}

let sessionCount = 0;

/** A session of a new user. */
export function newSession(overrides: Partial<HandoffSession> = {}): HandoffSession {
  sessionCount += 1;
  return {
    key: `handoff-${sessionCount} 1`,
    conversationId: `handoff-${sessionCount}`,
    bot: 'default',
    user: {
      key: `user:u-${sessionCount}`,
      userId: `u-${sessionCount}`,
      anonymousId: null,
      email: 'support@example.com',
      phone: null,
    },
    botId: 'bot-1',
    transcript: [
      { from: 'user', text: 'Where is my parcel?' },
      { from: 'bot', text: 'I do not know.' },
    ],
    requestedAt: new Date(),
    replyBy: new Date(Date.now() + 60_000),
    ...overrides,
  };
}

/** The reference that `send` and `close` receive. */
export const refOf = (
  { conversationId, bot, user }: HandoffSession,
  { externalId, url, extra }: OpenedConversation,
): ConversationRef => ({
  conversationId,
  bot,
  externalId,
  url: url ?? null,
  extra: extra ?? {},
  user,
});

/** The timestamp of a thread's first message. */
export const tsOf = ({ externalId }: { readonly externalId: string }): string =>
  externalId.split(':')[1] ?? '';

/** A request as the bridge passes it to an adapter. */
export const inbound = ({ headers, body }: SlackRequest, receivedAt = Date.now()): InboundRequest => ({
  method: 'POST',
  url: '/',
  headers,
  body: Buffer.from(body),
  receivedAt,
});

/** A body, signed with the secret of {@link SETTINGS}. */
export const request = (body: string, contentType = 'application/json'): InboundRequest =>
  inbound(signRequest(body, contentType, { secret: 'the signing secret' }));

/** A signed message event of an agent in a thread, with overridden fields. */
export const messageRequest = (event: Partial<SlackEvent>): InboundRequest =>
  request(JSON.stringify(envelope({ ...AGENTS_MESSAGE, ...event }, 'Ev1')));

/** The external id of the thread of {@link messageRequest}. */
export const THREAD = `${IDS.channel}:1700000000.000100`;

const AGENTS_MESSAGE = {
  type: 'message',
  channel: IDS.channel,
  channel_type: 'channel',
  user: IDS.agent,
  text: 'Hello',
  ts: '1700000005.000200',
  thread_ts: '1700000000.000100',
  event_ts: '1700000005.000200',
};

/** The error with which a call fails. */
export async function errorOf(task: Promise<unknown>): Promise<AdapterError> {
  return task.then(
    () => {
      throw new Error('expected an error');
    },
    (error: AdapterError) => error,
  );
}
