import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '../dist/delivery/sqlite/index.js';
import { createBridge, createReceiver, noAuth } from '../dist/index.js';
import { createDesk } from './bridge-desk.js';

/** As many conversations are worked on side by side as there are: each waits for the desk most of the time. */
const CONCURRENCY = 1_024;

/** @param {import('node:http').RequestListener} listener */
async function listen(listener) {
  const server = createServer(listener);
  // A connection that the server gives up while a request is on its way to it would end the run.
  server.keepAliveTimeout = 600_000;
  await new Promise((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => resolve(undefined)),
  );
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, stop: () => server.closeAllConnections() ?? server.close() };
}

/**
 * A platform, a receiver that stores in SQLite, a bridge and a desk, all in this process and over HTTP.
 *
 * @param {{ onMessage: (id: string, text: string) => void, onReply: (id: string, text: string) => void }} hear
 */
export async function createWorld({ onMessage, onReply }) {
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
  const front = await listen((incoming, response) => {
    if (incoming.url === '/desk') bridge.webhook(incoming, response);
    else receiver(incoming, response);
  });

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
      const outgoing = request({ port: front.port, host: '127.0.0.1', method: 'POST', path, agent, headers });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0));
      });
      outgoing.end(body);
    });

  return {
    post,
    desk,
    stats: () => bridge.stats(),
    async end() {
      await receiver.close();
      await bridge.close();
      agent.destroy();
      front.stop();
      service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
