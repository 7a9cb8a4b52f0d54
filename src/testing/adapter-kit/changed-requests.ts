import type { InboundRequest } from '../../bridge/index.js';

/** A genuine request in ways that make it another. */
export interface Changed {
  /** Everything that the sender itself put in is a little different, but the body. */
  readonly wrongSignature: readonly InboundRequest[];
  /** Nothing but the body is left. */
  readonly unsigned: readonly InboundRequest[];
  /** One character of the body is different. */
  readonly changedBody: readonly InboundRequest[];
}

/** What any HTTP client sends: none of it can be a signature. */
const ORDINARY = new Set([
  'host',
  'connection',
  'content-type',
  'content-length',
  'transfer-encoding',
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
  'user-agent',
  'te',
  'keep-alive',
]);

/** Changes a request as somebody would who does not know its secret. */
export function changedRequests(request: InboundRequest): Changed {
  const own = Object.entries(request.headers).filter(([name]) => !ORDINARY.has(name));
  const ordinary = Object.entries(request.headers).filter(([name]) => ORDINARY.has(name));
  const [path = '/'] = request.url.split('?');
  const changedOwn = own.map(([name, value]) => [name, otherEnd(value ?? '')]);
  return {
    wrongSignature: [
      { ...request, url: otherQuery(request.url), headers: Object.fromEntries([...ordinary, ...changedOwn]) },
    ],
    unsigned: [{ ...request, url: path, headers: Object.fromEntries(ordinary) }],
    changedBody: [{ ...request, body: otherText(request.body) }],
  };
}

/** The same with another last character, of a kind that the place allows: signatures are digits and letters. */
function otherEnd(value: string): string {
  return `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}`;
}

const otherQuery = (url: string): string => (url.includes('?') ? otherEnd(url) : url);

/** Another character in the middle, one that leaves JSON and forms readable. */
function otherText(body: Buffer): Buffer {
  const changed = Buffer.from(body);
  const middle = Math.floor(body.length / 2);
  const at = changed.findIndex((byte, index) => index >= middle && isLetter(byte));
  const place = at === -1 ? middle : at;
  changed[place] = changed[place] === 0x78 ? 0x79 : 0x78;
  return changed;
}

const isLetter = (byte: number): boolean => byte >= 0x61 && byte <= 0x7a;
