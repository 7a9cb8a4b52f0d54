import { randomBytes } from 'node:crypto';
import { pathToken, webhookUser } from '../receiver/index.js';
import type { HumanServiceWebhook, MessageWebhook } from '../simulator/index.js';
import type { RequestListener } from './serve.js';
import {
  type BenchService,
  type ReceiverAddress,
  type ReceiverFactory,
  TestBenchError,
} from './test-bench.js';

/** What is tested, and how to reach it. */
export interface ResolvedReceiver {
  readonly listener: RequestListener;
  readonly address: ReceiverAddress;
}

const madeUp = () => randomBytes(24).toString('hex');

/**
 * Finds out what was given. A function of fewer than two parameters makes a receiver, and is given credentials
 * to make it with; anything else that can be called takes requests.
 */
export async function resolveReceiver(
  given: ReceiverFactory | RequestListener,
  address: ReceiverAddress,
  service: BenchService,
): Promise<ResolvedReceiver> {
  checkAddress(address);
  if (typeof given !== 'function') throw invalid(`receiver is ${nameOf(given)}.`);
  if (!isFactory(given)) return { listener: given, address };
  const { username = 'bench', secret = address.username === undefined ? madeUp() : undefined } = address;
  const token = address.token ?? madeUp();
  const auth = { message: webhookUser({ username, secret }), handoff: pathToken(token) };
  const listener: unknown = await given({ auth, service });
  if (!isListener(listener)) throw invalid(`the function given as receiver returned ${nameOf(listener)}.`);
  return { listener, address: { ...address, username, secret, token } };
}

function isFactory(given: ReceiverFactory | RequestListener): given is ReceiverFactory {
  return given.length < 2;
}

function isListener(given: unknown): given is RequestListener {
  return typeof given === 'function';
}

function checkAddress({ path = '/', handoff, username, secret }: ReceiverAddress): void {
  for (const each of [path, handoff?.path ?? '/']) {
    if (!each.startsWith('/') || /[?#\s]/.test(each))
      throw new TestBenchError('INVALID_RECEIVER', `a path begins with "/" and has no "?" or "#": ${each}`);
  }
  if (secret !== undefined && username === undefined)
    throw new TestBenchError('INVALID_RECEIVER', 'a secret is sent together with a username: give both.');
}

function invalid(problem: string): TestBenchError {
  return new TestBenchError(
    'INVALID_RECEIVER',
    `${problem} Give the bench one of
    (options) => createReceiver({ ...options })   a function that makes a receiver to fit the bench
    receiver                                      one that is finished, with its username, secret and token
    app                                           an Express app, with path, username, secret and token
    (request, response) => …                      any request listener, with both parameters written out`,
  );
}

const nameOf = (value: unknown): string => (value === null ? 'null' : `a value of type ${typeof value}`);

/** The webhooks of the simulated agent, such as a person would type into the platform's settings. */
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

/** A secret shorter than this would be found in half of all words. */
const SHORTEST_SECRET = 6;

/** The secrets of one bench, for keeping them out of what it prints. */
export interface Secrets {
  /** Learns the secrets of a receiver's address. */
  readonly add: (address: ReceiverAddress) => void;
  /** A text without them. */
  readonly hide: (text: string) => string;
}

/** Makes {@link Secrets} that know the API key. */
export function createSecrets(apiKey: string): Secrets {
  const known = [apiKey];
  return {
    add({ secret, token, handoff }) {
      const values = [secret, token, handoff?.secret, ...Object.values(handoff?.headers ?? {})];
      known.push(...values.filter((value) => value !== undefined));
    },
    hide: (text) =>
      known
        .filter((secret) => secret.length >= SHORTEST_SECRET)
        .reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text),
  };
}
