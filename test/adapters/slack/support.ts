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

/** What calls to the adapter come with. */
export const call: AdapterCall = { signal: new AbortController().signal, log: silentLog };

/** Settings that are right in form; nothing is asked with them. */
export const SETTINGS: SlackSettings = {
  botToken: 'xoxb-1-2-three',
  signingSecret: 'the signing secret',
  channel: IDS.channel,
  names: { [IDS.agent]: 'Ann' },
};

/** The methods of an adapter with webhooks, all of them there. */
export type WebhookAdapter = Omit<Adapter, 'verify' | 'parse'> & {
  readonly verify: (request: InboundRequest) => SignatureVerdict;
  readonly parse: (request: InboundRequest) => ParsedWebhook;
};

/** An adapter that is only asked about requests. */
export const adapterFor = (settings: Partial<SlackSettings> = {}): WebhookAdapter =>
  slack({ ...SETTINGS, ...settings }) as WebhookAdapter;

/** A fake of Slack and an adapter for it, until the test ends. */
export async function withFake(
  options: FakeSlackOptions = {},
  settings: Partial<SlackSettings> = {},
): Promise<{ fake: FakeSlack; adapter: WebhookAdapter }> {
  const fake = await startFakeSlack(options);
  onTestFinished(() => fake.stop());
  const { apiUrl, token: botToken, signingSecret } = fake;
  return { fake, adapter: adapterFor({ apiUrl, botToken, signingSecret, ...settings }) };
}

let made = 0;

/** A conversation to be opened, of a user of its own. */
export function newSession(overrides: Partial<HandoffSession> = {}): HandoffSession {
  made += 1;
  return {
    key: `handoff-${made} 1`,
    conversationId: `handoff-${made}`,
    user: {
      key: `user:u-${made}`,
      userId: `u-${made}`,
      anonymousId: null,
      email: 'support@example.com',
      phone: null,
    },
    botId: 'bot-1',
    transcript: [
      { from: 'user', text: 'Where is my parcel?' },
      { from: 'agent', text: 'I do not know.' },
    ],
    requestedAt: new Date(),
    replyBy: new Date(Date.now() + 60_000),
    ...overrides,
  };
}

/** What `send` and `close` get. */
export const refOf = (
  { conversationId, user }: HandoffSession,
  { externalId, url, extra }: OpenedConversation,
): ConversationRef => ({
  conversationId,
  externalId,
  url: url ?? null,
  extra: extra ?? {},
  user,
});

/** The time stamp of a thread's first message. */
export const tsOf = ({ externalId }: { readonly externalId: string }): string =>
  externalId.split(':')[1] ?? '';

/** A request as the bridge gives it to an adapter. */
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

/** A message event of an agent in a thread, signed; `event` changes what it says. */
export const messageRequest = (event: Partial<SlackEvent>): InboundRequest =>
  request(JSON.stringify(envelope({ ...AGENTS_MESSAGE, ...event }, 'Ev1')));

/** The thread of {@link messageRequest}, as the bridge knows it. */
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

/** The error that a call of the adapter ends with. */
export async function errorOf(task: Promise<unknown>): Promise<AdapterError> {
  return task.then(
    () => {
      throw new Error('expected an error');
    },
    (error: AdapterError) => error,
  );
}
