// Serves the desk, its receiver and a platform that accepts every reply in one process.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import { sqlite } from '../../dist/delivery/sqlite/index.js';
import { createDesk } from '../../dist/desk/index.js';
import { createReceiver, noAuth } from '../../dist/public/index.js';

const [file = '', count = '50'] = process.argv.slice(2);
const app = express();
// As in `handoff-kit serve`: an idle connection must outlive the sender's own limit.
const server = createServer({ keepAliveTimeout: 65_000 }, app);
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
const address = server.address();
const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

const receiver = createReceiver({
  auth: { message: noAuth(), handoff: noAuth() },
  platform: { baseUrl: `${url}/platform`, apiKey: 'key' },
  delivery: sqlite({ file }),
  waitTimeoutMs: 86_400_000,
  log: false,
});
// Agents of a host application need no password: hashing fifty of them would take seconds.
const desk = createDesk({
  receiver,
  agents: ({ headers }) => {
    const id = String(headers['x-agent'] ?? /agent=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? '');
    return id === '' ? null : { id, name: `Agent ${id}` };
  },
});
app.use('/webhook', receiver);
app.use('/desk', desk);
app.use('/platform', (_request, response) => void response.json({ code: 200, message: 'success' }));
await receiver.start();
for (let index = 0; index < Number(count); index += 1)
  await desk.agents.saveExternal({ id: `a${index}`, name: `Agent ${index}`, role: 'supervisor' });

process.on('message', (message) => {
  if (message !== 'memory') return;
  globalThis.gc?.();
  process.send?.({ memory: process.memoryUsage() });
});
process.on('disconnect', () => {
  rmSync(file, { force: true });
  process.exit();
});
process.send?.({ url });
