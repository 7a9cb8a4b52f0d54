import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { contenderOf } from './contenders.js';
import { createTally } from './tally.js';

/**
 * One contender, in a process of its own: `server.js <contender> <folder> <url> <schema>`. It tells its parent what
 * it did since its counters were reset.
 */
const [id = '', folder = '', url = '', schema = ''] = process.argv.slice(2);

setFlagsFromString('--expose-gc');
/** @type {() => void} */
const collect = runInNewContext('gc');

const tally = createTally(collect);
const { create } = await import(`./${contenderOf(id).module}`);
/** @type {import('node:http').RequestListener} */
const listener = await create({
  begun: (/** @type {number} */ receivedAt) => tally.begun(receivedAt),
  folder,
  url,
  schema,
});

const server = createServer((request, response) => {
  tally.came();
  listener(request, response);
});

process.on('message', (question) =>
  process.send?.({ result: question === 'reset' ? tally.reset() : tally.report(question === 'memory') }),
);
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', 1024, () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === 'object' ? address?.port : undefined });
});
