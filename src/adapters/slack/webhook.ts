import {
  type AdapterCall,
  AdapterError,
  type AgentMessage,
  asObject,
  asObjects,
  asText,
  type ConversationRef,
  type InboundAttachment,
  type InboundEvent,
  type InboundRequest,
  isObject,
  type JsonObject,
  type MessageAuthor,
  type ParsedWebhook,
  readAgentMessage,
  type SignatureVerdict,
  verifySignature,
} from '../../bridge/index.js';
import { beginsWithMention, plainText, richTextToPlain } from './plain-text.js';
import { CLOSE_ACTION } from './root-message.js';
import type { CheckedSettings } from './settings.js';
import { externalIdOf, isTs, threadOf } from './thread.js';
import type { SlackApi } from './web-api.js';

/** Slack signs `v0:<timestamp>:<body>` and recommends a tolerance of five minutes. */
export function verifyRequest(
  { headers, body, receivedAt }: InboundRequest,
  { signingSecrets }: Pick<CheckedSettings, 'signingSecrets'>,
): SignatureVerdict {
  const timestamp = headers['x-slack-request-timestamp'];
  const signature = headers['x-slack-signature'];
  if (!timestamp || !signature) return 'unsigned';
  if (!signature.startsWith('v0=') || !/^\d{1,15}$/.test(timestamp)) return 'forged';
  return verifySignature({
    secrets: signingSecrets,
    payload: Buffer.concat([Buffer.from(`v0:${timestamp}:`), body]),
    signature: signature.slice(3),
    signedAt: Number(timestamp) * 1000,
    receivedAt,
  });
}

/** Translates a request into events. Events arrive as JSON, button clicks as a form with JSON in its `payload`. */
export function parseRequest({ body }: InboundRequest, settings: CheckedSettings): ParsedWebhook {
  const payload = parsePayload(body.toString('utf8'));
  if (payload.type === 'event_callback') return { events: messageEvents(payload, settings) };
  if (payload.type === 'block_actions') return { events: buttonEvents(payload, settings) };
  if (payload.type === 'url_verification') return { events: [], response: challengeResponse(payload) };
  return { events: [] };
}

// The signature does not cover the content type, so the body alone decides.
function parsePayload(body: string): JsonObject {
  const json = body.trimStart().startsWith('{') ? body : new URLSearchParams(body).get('payload');
  if (json === null) throw unreadable('it is neither JSON nor a form with a payload');
  const payload = parseJson(json);
  if (!isObject(payload)) throw unreadable('its JSON is not an object');
  return payload;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw unreadable('its JSON is invalid');
  }
}

const unreadable = (what: string): AdapterError =>
  new AdapterError('invalid', `slack: a request cannot be read: ${what}.`);

/** Slack verifies an address with a challenge before it sends events there. */
function challengeResponse({ challenge }: JsonObject): NonNullable<ParsedWebhook['response']> {
  if (typeof challenge !== 'string') throw unreadable('an address verification without a challenge');
  return { contentType: 'text/plain; charset=utf-8', body: challenge };
}

function buttonEvents(payload: JsonObject, { channel }: CheckedSettings): InboundEvent[] {
  const { container, message } = {
    container: asObject(payload.container),
    message: asObject(payload.message),
  };
  const channelId = asText(asObject(payload.channel).id) || asText(container.channel_id);
  const thread = asText(message.thread_ts) || asText(message.ts) || asText(container.message_ts);
  const action = asObjects(payload.actions).find(({ action_id }) => action_id === CLOSE_ACTION);
  if (!action || channelId !== channel || !isTs(thread)) return [];
  const user = asText(asObject(payload.user).id);
  const externalId = externalIdOf({ channel, ts: thread });
  return [
    {
      kind: 'closed',
      id: `${externalId}:button:${asText(action.action_ts)}`,
      externalId,
      author: { kind: 'agent', name: null, id: user },
    },
  ];
}

/** Subtypes of messages with content. The others report edits, deletions and changes of the channel. */
const CONTENT_SUBTYPES: ReadonlySet<unknown> = new Set([
  undefined,
  'file_share',
  'thread_broadcast',
  'bot_message',
]);

/** Translates an event of the Events API into a message, a close, both or nothing. */
export function messageEvents(envelope: JsonObject, settings: CheckedSettings): InboundEvent[] {
  const event = asObject(envelope.event);
  const { channel } = settings;
  const ts = asText(event.ts);
  const thread = asText(event.thread_ts);
  if (event.type !== 'message' || event.channel !== channel || !CONTENT_SUBTYPES.has(event.subtype))
    return [];
  // A message outside a thread, or the first of one, belongs to no conversation.
  if (!isTs(ts) || !isTs(thread) || thread === ts) return [];

  const author = authorOf(event, envelope);
  const { text, internal, closes } = parseContent(event, ownUserId(envelope), settings, author);
  const attachments = [
    ...asObjects(event.files).map(attachmentOf),
    ...asObjects(event.attachments).flatMap((shared) => sharedContent(shared, text)),
  ];
  // The timestamp, not the event id: it is the same when Slack reports a message twice.
  const base = { externalId: externalIdOf({ channel, ts: thread }), author } as const;
  const id = `${channel}:${ts}`;
  return [
    ...(text === '' && attachments.length === 0
      ? []
      : [
          {
            ...base,
            kind: 'message',
            id,
            text,
            internal,
            ...(attachments.length > 0 && { attachments }),
            messageId: ts,
          } as const,
        ]),
    ...(closes ? [{ ...base, kind: 'closed', id: `${id}:close` } as const] : []),
  ];
}

/** Messages of our own app are echoes; those of other apps and of Slackbot are automatic. */
function authorOf(event: JsonObject, envelope: JsonObject): MessageAuthor {
  const user = asText(event.user);
  const app = event.app_id ?? asObject(event.bot_profile).app_id;
  const isBot = asText(event.bot_id) !== '' || event.subtype === 'bot_message';
  if (user !== '' && user === ownUserId(envelope)) return { kind: 'self', name: null };
  if (isBot && app !== undefined && app === envelope.api_app_id) return { kind: 'self', name: null };
  if (isBot || user === '' || user === 'USLACKBOT') return { kind: 'system', name: null };
  // Events contain ids only.
  return { kind: 'agent', name: null, id: user };
}

/** The app's own user id, from the envelope. */
function ownUserId({ authorizations }: JsonObject): string | null {
  const own = asObjects(authorizations).find(({ is_bot }) => is_bot === true);
  const id = asText(own?.user_id);
  return /^[A-Z0-9]+$/.test(id) ? id : null;
}

function parseContent(
  event: JsonObject,
  ownId: string | null,
  settings: CheckedSettings,
  { kind }: MessageAuthor,
): AgentMessage {
  const raw = asText(event.text);
  const decoded = plainText(raw, ownId).trim();
  const whole = (richTextToPlain(event.blocks, ownId) ?? decoded).trim();
  if (kind !== 'agent') return { text: whole, internal: false, closes: false };

  const message = readAgentMessage(whole, settings);
  // A style can hide the prefix in one of the two forms.
  if (readAgentMessage(decoded, settings).internal || beginsWithMention(raw, ownId))
    return { text: whole, internal: true, closes: false };
  return message;
}

/** Users cannot open Slack's files, so the link is included only when the file is public. */
function attachmentOf(file: JsonObject): InboundAttachment {
  const link = file.public_url_shared === true ? asText(file.permalink_public) : '';
  return {
    name: asText(file.name) || asText(file.title) || 'file',
    contentType: asText(file.mimetype) || null,
    url: link || null,
  };
}

/**
 * What comes with a message besides its files: a forwarded message, a picture of the GIF picker. Its words are not
 * shown: they may be a colleague's. Previews of links in the text are left out.
 */
function sharedContent(shared: JsonObject, text: string): InboundAttachment[] {
  const addresses = [shared.image_url, shared.title_link, shared.original_url, shared.from_url].map(asText);
  const isForwarded = shared.is_share === true || shared.is_msg_unfurl === true;
  if (shared.is_share !== true && addresses.some((address) => address !== '' && text.includes(address)))
    return [];
  const name = isForwarded ? 'forwarded message' : asText(shared.title) || 'attachment';
  return [{ name, contentType: null, url: isForwarded ? null : (addresses.find(isPublic) ?? null) }];
}

/** Users cannot open pages of the workspace. */
const isPublic = (address: string): boolean =>
  URL.canParse(address) &&
  /^https?:$/.test(new URL(address).protocol) &&
  !SLACK_HOST.test(new URL(address).host);

const SLACK_HOST = /(^|\.)slack(-gov)?\.com$/;

/** Slack's own limit is 1,000, and it recommends at most 200. */
const PAGE_SIZE = '200';
const MAX_PAGES = 5;

/** Creates `catchUp`: reads the thread. Clicks on the button are not in it. */
export function createCatchUp(api: SlackApi, settings: CheckedSettings) {
  let ownId: string | null = null;
  /** Tells our messages, and mentions of the app, which are internal. */
  const loadOwnId = async (call: AdapterCall): Promise<string> => {
    ownId ??= asText((await api.read('auth.test', {}, call)).user_id);
    return ownId;
  };

  return async (ref: ConversationRef, since: Date, call: AdapterCall): Promise<readonly InboundEvent[]> => {
    const { channel, ts } = threadOf(ref);
    const authorizations = [{ is_bot: true, user_id: await loadOwnId(call) }];
    const events: InboundEvent[] = [];
    let cursor = '';
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const oldest = (since.getTime() / 1000).toFixed(6);
      const args = { channel, ts, oldest, limit: PAGE_SIZE, ...(cursor !== '' && { cursor }) };
      const { messages, response_metadata } = await api.read('conversations.replies', args, call);
      for (const message of asObjects(messages)) {
        const event = { ...message, type: 'message', channel };
        events.push(...messageEvents({ event, authorizations }, settings));
      }
      cursor = asText(asObject(response_metadata).next_cursor);
      if (cursor === '') break;
    }
    return events;
  };
}
