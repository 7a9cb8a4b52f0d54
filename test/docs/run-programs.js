// @ts-check
/**
 * Runs programs of the documentation in this process, one after another, each in a folder of its own: imports it,
 * passes events to its receiver, and sends a probe to its server. Writes what happened to `results.json`.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Server } from 'node:net';
import { pathToFileURL } from 'node:url';

const files = process.argv.slice(2);
const results = process.cwd();

/** Any free port instead of the program's own. @type {Set<Server>} */
const servers = new Set();
const { listen } = Server.prototype;
Server.prototype.listen = function (/** @type {unknown[]} */ ...args) {
  servers.add(this);
  const callbacks = args.filter((arg) => typeof arg === 'function');
  return Reflect.apply(listen, this, [0, '127.0.0.1', ...callbacks]);
};

/** The documented platform is the simulated one. Nothing else outside this machine is called. */
const send = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const url = String(input instanceof Request ? input.url : input);
  const target = url.replace('https://api.example.com', process.env.PLATFORM_BASE_URL ?? '');
  if (!target.startsWith('http://127.0.0.1:')) throw new TypeError('fetch failed');
  return send(target, init);
};

/** @type {{ file: string, error: string | null, events: object[], probes: number[] }[]} */
const all = [];
process.on('uncaughtException', (error) => {
  const current = all.at(-1);
  if (current) current.error ??= String(error.stack);
});

/** @param {import('handoff-kit').Receiver} receiver */
async function drive(receiver) {
  const events = [];
  for (const [name, payload] of /** @type {const} */ ([
    ['message', {}],
    ['handoff.requested', {}],
    ['handoff.message', { body: 'hello' }],
    ['handoff.closed', {}],
  ])) {
    const { outcome, replies, error } = await receiver.inject(name, payload);
    events.push({ name, outcome, replies, error: error === null ? null : String(error) });
  }
  return events;
}

/** @param {Server} server */
async function probe(server) {
  if (!server.listening) await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const headers = { 'content-type': 'application/json' };
  const url = `http://127.0.0.1:${port}/webhook`;
  const { status } = await send(url, { method: 'POST', headers, body: '{"istest":true}' });
  server.close();
  return status;
}

for (const file of files) {
  /** @type {typeof all[number]} */
  const result = { file, error: null, events: [], probes: [] };
  all.push(result);
  process.chdir(`${file}-folder`);
  try {
    const { receiverOfProgram } = await import(pathToFileURL(file).href);
    if (receiverOfProgram) result.events = await drive(receiverOfProgram);
    for (const server of servers) result.probes.push(await probe(server));
  } catch (error) {
    result.error = error instanceof Error ? String(error.stack) : String(error);
  }
  servers.clear();
}
process.chdir(results);
writeFileSync('results.json', JSON.stringify(all));
process.exit(0);
