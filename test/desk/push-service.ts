import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  type JsonWebKey,
  randomBytes,
  verify,
} from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect } from 'vitest';
import type { PushMessage, PushSubscriptionInput } from '../../src/desk/api.js';
import { serve } from '../helpers/serve.js';
import { eventually } from './agent-client.js';

/** A push that the service got, decrypted as a browser would. */
export interface ReceivedPush {
  readonly browser: string;
  readonly message: PushMessage;
  /** What was decrypted. */
  readonly text: string;
  readonly headers: IncomingMessage['headers'];
  /** The claims of the sender's token, whose signature is valid. */
  readonly claims: { readonly aud: string; readonly exp: number; readonly sub: string };
  /** The key that signed the token. */
  readonly senderKey: string;
}

/** How the service answers a push: with a status, or not at all. */
export type PushAnswer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | 'hang';

/** A push service on this machine, with its browsers. */
export async function startPushService() {
  const browsers = new Map<string, { readonly ecdh: ECDH; readonly auth: Buffer }>();
  const received: ReceivedPush[] = [];
  const answers = new Map<string, PushAnswer[]>();
  const failures: unknown[] = [];

  const onPush = (request: IncomingMessage, response: ServerResponse): void => {
    const browser = (request.url ?? '').slice('/push/'.length);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const keys = browsers.get(browser);
      if (!keys) return response.writeHead(404).end();
      try {
        const text = decrypt(Buffer.concat(chunks), keys.ecdh, keys.auth);
        const { claims, senderKey } = verifyToken(request.headers.authorization ?? '');
        received.push({
          browser,
          text,
          message: JSON.parse(text),
          headers: request.headers,
          claims,
          senderKey,
        });
      } catch (error) {
        failures.push(error);
      }
      const answer = answers.get(browser)?.shift() ?? { status: 201 };
      if (answer !== 'hang') response.writeHead(answer.status, answer.headers).end();
      return undefined;
    });
  };
  const { url } = await serve(onPush);

  return {
    url,
    received,
    /** The subscription of a new browser. */
    subscribe(browser: string): PushSubscriptionInput {
      const ecdh = createECDH('prime256v1');
      const auth = randomBytes(16);
      const p256dh = ecdh.generateKeys('base64url');
      browsers.set(browser, { ecdh, auth });
      const keys = { p256dh, auth: auth.toString('base64url') };
      return { endpoint: `${url}/push/${browser}`, keys, language: 'en' };
    },
    /** Answers the next pushes to a browser like this, and later ones with 201. */
    answer: (browser: string, ...next: readonly PushAnswer[]): void => void answers.set(browser, [...next]),
    /** Waits for the pushes to a browser, so many in all. */
    until: (browser: string, count: number): Promise<readonly ReceivedPush[]> =>
      eventually(() => {
        expect(failures).toEqual([]);
        const found = received.filter((each) => each.browser === browser);
        expect(found).toHaveLength(count);
        return found;
      }),
  };
}

/** Decrypts a body as in RFC 8188 and RFC 8291. */
function decrypt(body: Buffer, ecdh: ECDH, auth: Buffer): string {
  const salt = body.subarray(0, 16);
  const senderKey = body.subarray(21, 21 + body.readUInt8(20));
  const sealed = body.subarray(21 + body.readUInt8(20));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey]);
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(senderKey), auth, info, 32));
  const derive = (name: string, length: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, salt, Buffer.from(`Content-Encoding: ${name}\0`), length));
  const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2)).toString('utf8');
}

/** Checks the signature of a sender's token as in RFC 8292. */
function verifyToken(header: string) {
  const [, token = '', key = ''] = /^vapid t=(\S+), k=(\S+)$/.exec(header) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } as JsonWebKey });
  const isValid = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isValid) throw new Error('the signature of the token is wrong');
  return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), senderKey: key };
}
