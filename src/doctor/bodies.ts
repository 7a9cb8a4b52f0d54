import type { WebhookEndpoint } from '../protocol/index.js';
import { botMessageBody, chatBody, closeBody, establishBody } from '../simulator/sending/index.js';

/** In wire format. */
export type WireBody = Readonly<Record<string, unknown>>;

/** Tells agents who see the message where it comes from. */
export const TEST_TEXT = 'handoff-kit doctor: this is a test, please do not answer';

/** The user of every test conversation. */
const USER = {
  userId: 'doctor-user',
  anonymousId: 'doctor-anonymous',
  email: 'doctor@example.com',
  phone: '+10000000000',
} as const;

/** All fields are set; missing fields have their own checks. */
const OUTPUT = [
  { from_component_branch: 'doctor', from_component_name: 'Doctor', content: { text: TEST_TEXT } },
] as const;

const BODIES: Readonly<Record<WebhookEndpoint, (conversationId: string, now: number) => WireBody>> = {
  message: (conversationId, now) =>
    botMessageBody({ ...USER, text: TEST_TEXT, output: OUTPUT, conversationId }, now),
  establish: (conversationId, timestamp) =>
    establishBody({
      conversationId,
      timestamp,
      botId: 'doctor-bot',
      user: USER,
      transcript: [{ text: TEST_TEXT, message_type: 'QUESTION' }],
    }),
  chat: (conversationId, now) => chatBody(conversationId, now, TEST_TEXT),
  close: (conversationId, now) => closeBody(conversationId, now, 'USER_CLOSED'),
};

/** A well-formed body for an endpoint, as the platform sends it. */
export function wellFormedBody(endpoint: WebhookEndpoint, conversationId: string, now: number): WireBody {
  return BODIES[endpoint](conversationId, now);
}

export type BodyChange = (body: WireBody) => WireBody;

export const withFields =
  (fields: WireBody): BodyChange =>
  (body) => ({ ...body, ...fields });

export const withoutFields =
  (...names: readonly string[]): BodyChange =>
  (body) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
