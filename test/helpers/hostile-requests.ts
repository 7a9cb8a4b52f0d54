import * as fc from 'fast-check';
import { botMessageBody, chatBody, closeBody, establishBody, type WireBody } from '../fixtures/bodies.js';
import { hostileJson, hostileObject } from '../protocol/hostile.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from './credentials.js';
import type { RawRequest } from './raw.js';

/** A random request, and whether it has valid credentials. */
export interface HostileRequest extends RawRequest {
  readonly trusted: boolean;
}

const METHODS = ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];

const ENDPOINTS: readonly (readonly [path: string, make: () => WireBody])[] = [
  ['/', botMessageBody],
  ['/conversation/establish', establishBody],
  ['/chat', chatBody],
  ['/conversation/close', closeBody],
];

/** Any valid header value: printable characters, spaces, and bytes above ASCII. */
const headerValue = fc
  .array(
    fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f),
    { maxLength: 40 },
  )
  .map((codes) => String.fromCharCode(...codes));

const headerName = fc.stringMatching(/^x-[a-z0-9-]{1,12}$/);

const extraHeaders = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.tuple(headerName, headerValue) },
    { weight: 1, arbitrary: fc.tuple(fc.constant('Content-Encoding'), headerValue) },
    fc.tuple(fc.constantFrom('X-Request-Id', 'Cookie', 'Accept', 'User-Agent', 'Forwarded'), headerValue),
  ),
  { maxLength: 4 },
);

const contentType = fc.oneof(
  { weight: 18, arbitrary: fc.constant('application/json') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('application/json; charset=utf-8', 'text/plain', 'a/b; charset=', ';;'),
  },
  { weight: 1, arbitrary: headerValue },
);

const GOOD_CREDENTIALS = basicHeader(USERNAME, SECRET);

const goodCredentials: fc.Arbitrary<readonly string[]> = fc.constant([GOOD_CREDENTIALS]);

const badCredentials: fc.Arbitrary<readonly string[]> = fc.oneof(
  fc.constant([]),
  fc
    .constantFrom('Basic', 'Bearer', `Bearer ${USERNAME}`, `Basic ${SECRET}`, 'Basic Og==')
    .map((value) => [value]),
  headerValue.map((value) => [value]),
  headerValue.map((value) => [`Basic ${Buffer.from(value).toString('base64')}`]),
  fc.constant([GOOD_CREDENTIALS, GOOD_CREDENTIALS]),
);

const wildPath = fc.oneof(
  fc.webPath().map((path) => (path.startsWith('/') ? path : `/${path}`)),
  fc.stringMatching(/^\/[!-~]{0,30}$/),
  fc.constantFrom(
    '*',
    '//',
    '/%',
    '/%00',
    `/${PATH_TOKEN}%`,
    '/chat%2f',
    'http://elsewhere/chat',
    '/..//chat',
  ),
);

const query = fc.oneof(fc.constant(''), fc.stringMatching(/^\?[!-~]{0,20}$/));

/** A valid body with some fields replaced by random JSON. */
const mutated = (make: () => WireBody): fc.Arbitrary<WireBody> =>
  fc
    .array(fc.tuple(fc.constantFrom(...Object.keys(make()), 'istest', 'x'), fc.option(hostileJson)), {
      maxLength: 3,
    })
    .map((changes) => {
      const body = make();
      for (const [field, value] of changes) body[field] = value;
      return body;
    });

/** Truncated, duplicated or corrupted JSON. */
const damaged = (text: string): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.nat(text.length), fc.nat(255), fc.constantFrom('cut', 'flip', 'double'))
    .map(([place, byte, how]) => {
      const bytes = Buffer.from(text);
      if (how === 'cut') return bytes.subarray(0, place);
      if (how === 'double') return Buffer.concat([bytes, bytes]);
      bytes[Math.min(place, bytes.length - 1)] = byte;
      return bytes;
    });

/** A valid body with random JSON in fields that are parsed lazily. */
const strangeWithin = (make: () => WireBody): fc.Arbitrary<WireBody> =>
  fc
    .record({ items: fc.array(hostileJson, { maxLength: 3 }), anything: hostileJson })
    .map(({ items, anything }) => ({
      ...make(),
      usage: anything,
      istest: anything === true ? false : anything,
      ...(make === botMessageBody && { output: items }),
    }));

/** A placeholder for a number that JSON.stringify cannot write. */
const LARGE_INTEGER = '12345678901234567890';

/** Values that deployments send instead of a string, a number, a list or an object. */
const sloppyValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    [],
    {},
    0,
    5,
    -1.5,
    true,
    'text',
    ['text', null, 5],
    [{}],
    [[]],
    LARGE_INTEGER,
  ),
  fc.constantFrom<unknown>(
    1_742_265_090,
    1_742_265_090_895_123,
    '1742265090895123456',
    '2025-03-18T02:31:30Z',
  ),
  fc.constantFrom<unknown>({ text: 5, message_type: null }, [{ text: null }, { user_id: 4 }], [{ phone: 5 }]),
);

/** A body with sloppy values in all fields except its ids, which are sometimes large integers. */
const sloppy = (make: () => WireBody): fc.Arbitrary<string> =>
  fc
    .record({
      changes: fc.dictionary(
        fc.constantFrom(...Object.keys(make()), 'usage', 'x'),
        fc.option(sloppyValue, { nil: undefined }),
      ),
      words: fc.constantFrom<unknown>('text', '', null, 5, undefined),
      isLarge: fc.boolean(),
    })
    .map(({ changes, words, isLarge }) => {
      const body = make();
      const { conversation_id, message_id } = body;
      Object.assign(body, changes, { conversation_id: isLarge ? LARGE_INTEGER : conversation_id });
      if (make === botMessageBody) body.message_id = message_id;
      if (make === chatBody) body.body = words;
      return JSON.stringify(body).replaceAll(`"${LARGE_INTEGER}"`, LARGE_INTEGER);
    });

/** Requests with credentials that a receiver must accept, although they break the contract. */
export const sloppyRequest: fc.Arbitrary<RawRequest> = fc
  .constantFrom(...ENDPOINTS)
  .chain(([endpoint, make]) =>
    sloppy(make).map((body) => ({
      path: pathOf(endpoint, true),
      headers: [
        ['Content-Type', 'application/json'],
        ['Authorization', GOOD_CREDENTIALS],
      ],
      body,
    })),
  );

const bodyFor = (make: () => WireBody): fc.Arbitrary<Buffer> => {
  const json = fc
    .oneof(
      { weight: 3, arbitrary: mutated(make) },
      { weight: 3, arbitrary: strangeWithin(make) },
      { weight: 1, arbitrary: hostileObject },
      { weight: 1, arbitrary: hostileJson },
    )
    .map((value) => JSON.stringify(value));
  return fc.oneof(
    { weight: 7, arbitrary: json.map((text) => Buffer.from(text)) },
    { weight: 2, arbitrary: json.chain(damaged) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  );
};

const chunked = (body: Buffer): Buffer =>
  body.length === 0
    ? Buffer.from('0\r\n\r\n')
    : Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

/** The path of an endpoint, with the token if trusted. */
const pathOf = (endpoint: string, trusted: boolean): string =>
  trusted && endpoint !== '/' ? `/${PATH_TOKEN}${endpoint}` : endpoint;

/** Requests that are valid HTTP and otherwise random. */
export const hostileRequest: fc.Arbitrary<HostileRequest> = fc
  .tuple(fc.constantFrom(...ENDPOINTS), fc.boolean(), fc.integer({ min: 0, max: 9 }))
  .chain(([[endpoint, make], trusted, dice]) =>
    fc
      .record({
        method: dice === 0 ? fc.constantFrom(...METHODS) : fc.constant('POST'),
        path: dice === 1 ? wildPath : query.map((rest) => pathOf(endpoint, trusted) + rest),
        credentials: trusted ? goodCredentials : badCredentials,
        type: contentType,
        extra: extraHeaders,
        body: bodyFor(make),
        isChunked: fc.boolean(),
      })
      .map(({ method, path, credentials, type, extra, body, isChunked }) => ({
        trusted,
        method,
        path,
        headers: [
          ['Content-Type', type] as const,
          ...credentials.map((value) => ['Authorization', value] as const),
          ...extra,
          ...(isChunked ? [['Transfer-Encoding', 'chunked'] as const] : []),
        ],
        body: isChunked ? chunked(body) : body,
      })),
  );

/** Bytes that are not valid HTTP. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom(
      '',
      'POST / HTTP/1.1\r\n',
      'POST /chat HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n',
    ),
    fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.string({ unit: 'binary-ascii', maxLength: 300 }).map((text) => Buffer.from(text)),
    ),
    fc.constantFrom('', '\r\n\r\n', '\r\n\r\n{}'),
  )
  .map(([before, middle, after]) => Buffer.concat([Buffer.from(before), middle, Buffer.from(after)]));
