import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { checkOptionNames, silentLog } from '../internal/index.js';
import { HANDOFF_PATHS } from '../protocol/index.js';
import {
  type AgentCall,
  parseRecording,
  type ReceiverEndpoint,
  type ReplayReport,
  replayRecording,
  startReplayPlatform,
} from '../recording/replay.js';
import { credentialHeaders, postJson } from '../simulator/sending/index.js';
import { resolveReceiver, webhookSettingsFor } from './receiver-under-test.js';
import { type RequestListener, serve } from './serve.js';
import type { ReceiverAddress, ReceiverFactory } from './test-bench.js';

/** Settings of {@link replay}. */
export interface ReplayOptions extends ReceiverAddress {
  /** How much faster than the recording. Default: as fast as answers and replies come. */
  readonly speed?: number;
  /** How long to wait for each answer and each reply. Default: 10 s. */
  readonly timeoutMs?: number;
  /** How long to wait at the end for replies that the recording does not have. Default: 500 ms. */
  readonly settleMs?: number;
  /** The port of the platform, for a receiver that exists already. Default: any free one. */
  readonly platformPort?: number;
  /**
   * Does what an agent did, through your helpdesk: called for every reply and close of the recording, in its order.
   * Without it, the receiver must reply by itself. Returns `false` for a reply that the receiver sends by itself.
   *
   * @example agent: ({ conversationId, text }) => receiver.conversations.reply(conversationId, text)
   */
  readonly agent?: (call: AgentCall) => unknown;
}

const OPTION_NAMES: readonly (keyof ReplayOptions)[] = [
  'path',
  'username',
  'secret',
  'token',
  'handoff',
  'message',
  'speed',
  'timeoutMs',
  'settleMs',
  'platformPort',
  'agent',
];

/** Replays a recording against the receiver that a function creates, which is closed at the end. */
export function replay(
  file: string | URL,
  receiver: ReceiverFactory,
  options?: ReplayOptions,
): Promise<ReplayReport>;
/** Replays a recording against an existing receiver, an Express app or any request listener. */
export function replay(
  file: string | URL,
  receiver: RequestListener,
  options?: ReplayOptions,
): Promise<ReplayReport>;
/**
 * Sends the requests of a recording to a receiver again, plays the platform's side, and reports what differs: statuses,
 * answers, replies and their order.
 *
 * @example
 * const { differences } = await replay('recordings/monday.jsonl', (options) =>
 *   createReceiver(options).on('handoff.message', ({ text, reply }) => reply(`You said: ${text}`)),
 * );
 * assert.deepEqual(differences, []);
 */
export async function replay(
  file: string | URL,
  receiver: ReceiverFactory | RequestListener,
  options: ReplayOptions = {},
): Promise<ReplayReport> {
  checkOptionNames('replay', options, OPTION_NAMES);
  const { speed = Number.POSITIVE_INFINITY, timeoutMs = 10_000, settleMs = 500 } = options;
  const { platformPort, agent, ...address } = options;
  const recording = parseRecording(await readFile(file, 'utf8'));
  const platform = await startReplayPlatform(platformPort);
  const apiKey = randomBytes(24).toString('hex');
  try {
    const { listener, address: at } = await resolveReceiver(receiver, address, {
      platform: { baseUrl: platform.url, apiKey },
      log: silentLog,
    });
    const isOurs = listener !== receiver;
    if ('started' in listener && 'start' in listener && typeof listener.start === 'function') {
      await listener.start();
    }
    const served = await serve(listener);
    try {
      const { message, humanServices } = webhookSettingsFor(served.origin, at);
      const [humanService] = humanServices;
      const send = (endpoint: ReceiverEndpoint, body: object) => {
        const webhook = (endpoint === 'message' ? message : humanService) ?? { url: served.origin };
        const path = endpoint === 'message' || endpoint === 'handoff' ? '' : HANDOFF_PATHS[endpoint];
        const headers = credentialHeaders({ ...webhook });
        return postJson({ url: `${webhook.url}${path}`, headers, payload: JSON.stringify(body), timeoutMs });
      };
      const secrets = [apiKey, at.secret, at.token, at.handoff?.secret].filter((each) => each !== undefined);
      return await replayRecording({ recording, platform, send, speed, timeoutMs, settleMs, secrets, agent });
    } finally {
      if (isOurs && 'close' in listener && typeof listener.close === 'function') await listener.close();
      await served.stop();
    }
  } finally {
    await platform.close();
  }
}
