import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

const versionOf = (/** @type {string} */ path) =>
  JSON.parse(readFileSync(new URL(`${path}/package.json`, import.meta.url), 'utf8')).version;

/** The versions of the frameworks and the peers, in one line. */
export function versions() {
  const peers = ['@octokit/webhooks', '@slack/bolt', '@line/bot-sdk'];
  return [
    ...['express', 'fastify', 'hono', '@hono/node-server'].map(
      (name) => `${name} ${versionOf(`../node_modules/${name}`)}`,
    ),
    ...peers.map((name) => `${name} ${versionOf(`node_modules/${name}`)}`),
  ].join(', ');
}

/** The Node version and the machine, in one line. */
export function machine() {
  const model = cpus()[0]?.model.trim();
  const processor = model && model !== 'unknown' ? ` (${model})` : '';
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} CPUs${processor}`;
}

/** A warning if the machine has other work; undefined if it is quiet or the load is unknown. */
export function busyWarning() {
  const [load] = loadavg();
  if (load < 0.5) return undefined;
  return `The machine has other work (load ${load.toFixed(1)}): expect noise.`;
}
