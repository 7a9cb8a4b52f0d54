import type { WebhookEndpoint } from '../protocol/index.js';
import { agentMessageBody, chatBody, closeBody, establishBody } from '../simulator/sending/index.js';

/** A body as it goes over the wire. */
export type WireBody = Readonly<Record<string, unknown>>;

/** What the examination says in place of people, so that whoever reads it knows where it comes from. */
export const TEST_TEXT = 'handoff-kit doctor: this is a test, nobody waits for an answer';

/** The user in whose name the examination writes. */
const USER = {
  userId: 'doctor-user',
  anonymousId: 'doctor-anonymous',
  email: 'doctor@example.com',
  phone: '+10000000000',
} as const;

/** Everything is filled in: what happens where something is left out is looked at by itself. */
const OUTPUT = [
  { from_component_branch: 'doctor', from_component_name: 'Doctor', content: { text: TEST_TEXT } },
] as const;

const BODIES: Readonly<Record<WebhookEndpoint, (conversationId: string, now: number) => WireBody>> = {
  message: (conversationId, now) =>
    agentMessageBody({ ...USER, text: TEST_TEXT, output: OUTPUT, conversationId }, now),
  establish: (conversationId, timestamp) =>
    establishBody({
      conversationId,
      timestamp,
      agentId: 'doctor-agent',
      user: USER,
      transcript: [{ text: TEST_TEXT, message_type: 'QUESTION' }],
    }),
  chat: (conversationId, now) => chatBody(conversationId, now, TEST_TEXT),
  close: (conversationId, now) => closeBody(conversationId, now, 'USER_CLOSED'),
};

/** A well-formed body for an endpoint, as the service would send it. */
export function wellFormedBody(endpoint: WebhookEndpoint, conversationId: string, now: number): WireBody {
  return BODIES[endpoint](conversationId, now);
}

/** Makes another body of one. */
export type BodyChange = (body: WireBody) => WireBody;

/** A body with these fields, in place of those of the same name. */
export const withFields =
  (fields: WireBody): BodyChange =>
  (body) => ({ ...body, ...fields });

/** A body without these fields. */
export const withoutFields =
  (...names: readonly string[]): BodyChange =>
  (body) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
