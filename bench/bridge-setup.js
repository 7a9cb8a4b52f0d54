import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '../dist/delivery/sqlite/index.js';
import { createBridge } from '../dist/public/bridge.js';
import { createReceiver, noAuth } from '../dist/public/index.js';

/**
 * The value below which a share of the values is.
 *
 * @param {number[]} values
 * @param {number} share
 */
export const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;

/** @param {import('node:http').RequestListener} listener */
async function listen(listener) {
  const server = createServer(listener);
  // The server must not close an idle connection just as a request arrives on it.
  server.keepAliveTimeout = 600_000;
  await new Promise((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => resolve(undefined)),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, stop: () => server.closeAllConnections() ?? server.close() };
}

/**
 * Starts a platform, a receiver on SQLite, a bridge and a desk in this process, connected over HTTP. Delivery and bridge
 * have their defaults unless options say otherwise.
 *
 * @param {{
 *   adapter: import('../dist/public/bridge.js').Adapter,
 *   onReply?: (id: string, text: string) => void,
 *   onAgentMessage?: (id: string) => void,
 *   concurrency?: number,
 *   bridge?: Partial<import('../dist/public/bridge.js').BridgeOptions>,
 * }} options
 */
export async function startBridge({ adapter, onReply, onAgentMessage, concurrency, bridge: options }) {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-'));
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const platform = await listen((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    incoming.on('end', () => {
      const { conversation_id, body } = JSON.parse(text);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"code":200,"message":"success"}');
      onReply?.(conversation_id, body ?? '');
    });
  });
  const receiver = createReceiver({
    auth: { message: noAuth(), handoff: noAuth() },
    platform: { baseUrl: `http://127.0.0.1:${platform.port}`, apiKey: 'bench' },
    delivery: sqlite({ file: join(folder, 'handoff.db'), ...(concurrency && { concurrency }) }),
    log: false,
  });
  receiver.on('message', ({ conversationId }) => onAgentMessage?.(conversationId));
  const bridge = createBridge({ receiver, adapter, log: false, ...options });
  const webhooks = await listen((incoming, response) => {
    if (incoming.url === '/desk') bridge.webhook(incoming, response);
    else receiver(incoming, response);
  });

  await receiver.start();

  /**
   * Posts JSON; resolves to the status.
   *
   * @param {string} path
   * @param {unknown} json
   * @returns {Promise<number>}
   */
  const post = (path, json) =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(json);
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const outgoing = request({
        port: webhooks.port,
        host: '127.0.0.1',
        method: 'POST',
        path,
        agent,
        headers,
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      outgoing.end(body);
    });

  /**
   * Posts JSON that must be accepted.
   *
   * @param {string} path
   * @param {unknown} json
   */
  const postAccepted = async (path, json) => {
    const status = await post(path, json);
    if (status !== 200) throw new Error(`${path} was answered ${status}`);
  };

  return {
    postAccepted,
    /** @param {string} id */
    requestHandoff: (id) =>
      postAccepted('/conversation/establish', {
        conversation_id: id,
        timestamp: Date.now(),
        email: null,
        bot_id: 'bench',
        body: [{ text: 'A human, please.', message_type: 'QUESTION' }],
        user_info: { phone: null, email: null, user_id: id, anonymous_id: null },
      }),
    async stop() {
      await receiver.close();
      await bridge.close();
      agent.destroy();
      webhooks.stop();
      platform.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
