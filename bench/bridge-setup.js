import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '../dist/delivery/sqlite/index.js';
import { createBridge, createReceiver, noAuth } from '../dist/index.js';
import { createDesk } from './bridge-desk.js';

/** No conversation waits for a worker slot: each spends most of its time waiting for the desk. */
const CONCURRENCY = 1_024;

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
 * Starts a platform, a receiver on SQLite, a bridge and a desk in this process, connected over HTTP.
 *
 * @param {{ onMessage: (id: string, text: string) => void, onReply: (id: string, text: string) => void }} callbacks
 */
export async function startBridge({ onMessage, onReply }) {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-bench-'));
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const desk = createDesk(onMessage);
  const service = await listen((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    incoming.on('end', () => {
      const { conversation_id, body } = JSON.parse(text);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"code":200,"message":"success"}');
      onReply(conversation_id, body ?? '');
    });
  });
  const receiver = createReceiver({
    auth: { message: false, handoff: noAuth() },
    service: { baseUrl: `http://127.0.0.1:${service.port}`, apiKey: 'bench' },
    delivery: sqlite({ file: join(folder, 'handoff.db'), concurrency: CONCURRENCY }),
    log: false,
  });
  const bridge = createBridge({ receiver, adapter: desk.adapter, openWithinMs: 30_000, log: false });
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

  return {
    post,
    desk,
    async stop() {
      await receiver.close();
      await bridge.close();
      agent.destroy();
      webhooks.stop();
      service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
