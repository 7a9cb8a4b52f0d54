// @ts-check
// A receiver with a desk, for a test that kills it. Prints its address.
import express from 'express';
import { sqlite } from '../../dist/delivery/sqlite/index.js';
import { createDesk } from '../../dist/desk/index.js';
import { createReceiver, noAuth } from '../../dist/public/index.js';

const receiver = createReceiver({
  auth: { message: false, handoff: noAuth() },
  platform: { baseUrl: 'http://127.0.0.1:2', apiKey: 'key' },
  delivery: sqlite({ file: process.argv[2] ?? '' }),
  log: false,
});
createDesk({ receiver, agents: 'stored', log: false });
await receiver.start();
const server = express()
  .use(receiver)
  .listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
  });
