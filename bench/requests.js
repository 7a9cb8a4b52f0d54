import { createHmac } from 'node:crypto';
import { CONVERSATION, github, line, message, SERIAL, slack } from './bodies.js';

/**
 * How the generator builds the requests for a kind of contender: headers, body, and the signature of the body if
 * there is one. Values that differ between requests have a fixed width, so that they can be overwritten in place.
 *
 * @typedef {object} Recipe
 * @property {string} path
 * @property {() => string} body
 * @property {() => Record<string, string>} headers
 * @property {((head: string, body: Buffer) => string)} [sign] the signature of a body, as sent in the header
 * @property {Record<string, string>} [wrongHeaders] replaces headers in a request that must be refused
 */

/** Placeholder of a signature. */
const SIGNATURE = '~';

const CONVERSATIONS = 1000;

/** Known to the servers and the generator; none of it is a real secret. */
export const credentials = {
  username: 'bench-user',
  secret: 'bench-secret-0123456789abcdef',
  signingSecret: 'bench-signing-secret-0123456789abcdef',
};

const hmac = (/** @type {'hex' | 'base64'} */ encoding, /** @type {(string | Buffer)[]} */ ...parts) => {
  const mac = createHmac('sha256', credentials.signingSecret);
  for (const part of parts) mac.update(part);
  return mac.digest(encoding);
};

const basic = (/** @type {string} */ secret) =>
  `Basic ${Buffer.from(`${credentials.username}:${secret}`).toString('base64')}`;

const slackTime = (/** @type {string} */ head) => /x-slack-request-timestamp: (\d+)/.exec(head)?.[1] ?? '';

/** @satisfies {Record<string, Recipe>} */
export const recipes = {
  plain: { path: '/webhook', body: message, headers: () => ({}) },
  basic: {
    path: '/webhook',
    body: message,
    headers: () => ({ authorization: basic(credentials.secret) }),
    wrongHeaders: { authorization: basic(credentials.secret.replace('0', '1')) },
  },
  github: {
    path: '/webhook',
    body: github,
    headers: () => ({
      'x-github-event': 'issue_comment',
      'x-github-delivery': `0192f0c4-7d3a-7c1e-9f00-${SERIAL}`,
      'x-hub-signature-256': `sha256=${SIGNATURE.repeat(64)}`,
    }),
    sign: (_head, body) => hmac('hex', body),
  },
  slack: {
    path: '/slack/events',
    body: slack,
    headers: () => ({
      'x-slack-request-timestamp': String(Math.floor(Date.now() / 1000)),
      'x-slack-signature': `v0=${SIGNATURE.repeat(64)}`,
    }),
    sign: (head, body) => hmac('hex', `v0:${slackTime(head)}:`, body),
  },
  line: {
    path: '/webhook',
    body: line,
    headers: () => ({ 'x-line-signature': SIGNATURE.repeat(44) }),
    sign: (_head, body) => hmac('base64', body),
  },
};

/** @typedef {keyof typeof recipes} RecipeName */

/** A complete request with its placeholders, and the offset of its body. */
function template(
  /** @type {Recipe} */ recipe,
  /** @type {Record<string, string>} */ changed,
  body = recipe.body(),
) {
  const headers = {
    host: '127.0.0.1',
    'user-agent': 'bench',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...recipe.headers(),
    ...changed,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = `POST ${recipe.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  return { head, bytes: Buffer.from(head + body), bodyStart: Buffer.byteLength(head) };
}

function placesOf(/** @type {Buffer} */ bytes, /** @type {string} */ mark) {
  const places = [];
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) places.push(at);
  return places;
}

function writeNumber(
  /** @type {Buffer} */ bytes,
  /** @type {number} */ end,
  /** @type {number} */ value,
  /** @type {number} */ width,
) {
  let rest = value;
  for (let at = end - 1; at >= end - width; at -= 1) {
    bytes[at] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}

/**
 * A ring of prepared requests. Signed requests are signed once, when the ring is made. Unsigned ones get a new serial
 * number each time, because a receiver that drops duplicates must not be measured while it drops them.
 *
 * @param {RecipeName} name
 * @param {number} size
 * @param {() => number} nextSerial
 * @returns {() => Buffer} the next request
 */
export function requestRing(name, size, nextSerial) {
  /** @type {Recipe} */
  const recipe = recipes[name];
  const { head, bytes, bodyStart } = template(recipe, {});
  const serials = placesOf(bytes, SERIAL);
  const conversations = placesOf(bytes, CONVERSATION);
  const signatureAt = bytes.indexOf(SIGNATURE.repeat(8));

  const stamp = (/** @type {Buffer} */ slot) => {
    const serial = nextSerial();
    for (const at of serials) writeNumber(slot, at + SERIAL.length, serial, SERIAL.length);
    for (const at of conversations) {
      writeNumber(slot, at + CONVERSATION.length, serial % CONVERSATIONS, CONVERSATION.length);
    }
  };
  const slots = Array.from({ length: size }, () => {
    const slot = Buffer.from(bytes);
    stamp(slot);
    if (recipe.sign) slot.write(recipe.sign(head, slot.subarray(bodyStart)), signatureAt, 'latin1');
    return slot;
  });

  let next = 0;
  return () => {
    const slot = slots[next];
    next = next + 1 === size ? 0 : next + 1;
    if (!recipe.sign) stamp(slot);
    return slot;
  };
}

/**
 * A request that must be refused: a wrong credential, or a body changed after signing.
 *
 * @param {RecipeName} name
 */
export function wrongRequest(name) {
  /** @type {Recipe} */
  const recipe = recipes[name];
  if (recipe.wrongHeaders) return template(recipe, recipe.wrongHeaders).bytes;
  const bytes = requestRing(name, 1, () => 0)();
  const at = bytes.lastIndexOf(' the ') + 1;
  bytes[at] = 'T'.charCodeAt(0);
  return bytes;
}

/**
 * A request with valid credentials whose body lacks the id of its conversation.
 *
 * @param {RecipeName} name
 */
export function invalidRequest(name) {
  const { conversation_id: _, ...rest } = JSON.parse(recipes[name].body());
  return template(recipes[name], {}, JSON.stringify(rest)).bytes;
}
