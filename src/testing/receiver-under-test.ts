import { randomBytes } from 'node:crypto';
import { pathToken, webhookUser } from '../receiver/index.js';
import type { HumanServiceWebhook, MessageWebhook } from '../simulator/index.js';
import type { RequestListener } from './serve.js';
import {
  type BenchReceiverOptions,
  type ReceiverAddress,
  type ReceiverFactory,
  TestBenchError,
} from './test-bench.js';

/** The receiver under test and its address. */
interface ResolvedReceiver {
  readonly listener: RequestListener;
  readonly address: ReceiverAddress;
}

const randomSecret = () => randomBytes(24).toString('hex');

/**
 * Distinguishes factories from request listeners: a function with fewer than two parameters is a factory and gets
 * random credentials; any other function handles requests.
 */
export async function resolveReceiver(
  receiver: ReceiverFactory | RequestListener,
  address: ReceiverAddress,
  { platform, log }: Pick<BenchReceiverOptions, 'platform' | 'log'>,
): Promise<ResolvedReceiver> {
  checkAddress(address);
  if (typeof receiver !== 'function') throw invalid(`receiver is ${nameOf(receiver)}.`);
  if (!isFactory(receiver)) return { listener: receiver, address };
  const { username = 'bench', secret = address.username === undefined ? randomSecret() : undefined } =
    address;
  const token = address.token ?? randomSecret();
  const auth = { message: webhookUser({ username, secret }), handoff: pathToken(token) };
  const listener: unknown = await receiver({ auth, platform, log });
  if (!isListener(listener)) throw invalid(`the function passed as receiver returned ${nameOf(listener)}.`);
  return { listener, address: { ...address, username, secret, token } };
}

function isFactory(receiver: ReceiverFactory | RequestListener): receiver is ReceiverFactory {
  return receiver.length < 2;
}

function isListener(receiver: unknown): receiver is RequestListener {
  return typeof receiver === 'function';
}

function checkAddress({ path = '/', handoff, username, secret }: ReceiverAddress): void {
  for (const each of [path, handoff?.path ?? '/']) {
    if (!each.startsWith('/') || /[?#\s]/.test(each))
      throw new TestBenchError('INVALID_RECEIVER', `a path starts with "/" and has no "?" or "#": ${each}`);
  }
  if (secret !== undefined && username === undefined)
    throw new TestBenchError('INVALID_RECEIVER', 'a secret needs a username: set both.');
}

function invalid(problem: string): TestBenchError {
  return new TestBenchError(
    'INVALID_RECEIVER',
    `${problem} Pass one of
    (options) => createReceiver({ ...options })   a function that creates a receiver from the bench's options
    receiver                                      an existing receiver, with its username, secret and token
    app                                           an Express app, with path, username, secret and token
    (request, response) => …                      any request listener, with both parameters written out`,
  );
}

const nameOf = (value: unknown): string => (value === null ? 'null' : `a value of type ${typeof value}`);

/** The simulated bot's webhooks, as entered into the platform's settings. */
export function webhookSettingsFor(
  origin: string,
  { path = '/', username, secret, token, handoff, message }: ReceiverAddress,
): { message: MessageWebhook | undefined; humanServices: HumanServiceWebhook[] } {
  const base = path.replace(/\/+$/, '');
  const handoffPath = handoff?.path ?? (token === undefined ? base : `${base}/${token}`);
  return {
    message: message === false ? undefined : { url: `${origin}${base || '/'}`, username, secret },
    humanServices: [
      {
        componentId: 'human-service',
        url: `${origin}${handoffPath}`,
        username: handoff?.username,
        secret: handoff?.secret,
        headers: { ...handoff?.headers },
      },
    ],
  };
}

/** Shorter secrets are not redacted: they would match ordinary text. */
const MIN_SECRET_LENGTH = 6;

/** Redacts a bench's secrets from its errors. */
interface SecretRedactor {
  /** Adds the secrets in a receiver's address. */
  readonly add: (address: ReceiverAddress) => void;
  /** Replaces every secret with `…`. */
  readonly redact: (text: string) => string;
}

export function createSecretRedactor(apiKey: string): SecretRedactor {
  const known = [apiKey];
  return {
    add({ secret, token, handoff }) {
      const values = [secret, token, handoff?.secret, ...Object.values(handoff?.headers ?? {})];
      known.push(...values.filter((value) => value !== undefined));
    },
    redact: (text) =>
      known
        .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
        .reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text),
  };
}
