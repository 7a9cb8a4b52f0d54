import { createServer } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { contenderOf } from './contenders.js';
import { createServerStats } from './server-stats.js';

/**
 * Serves one contender in a child process: `server.js <contender> <folder> <url> <schema>`. The parent asks for its
 * statistics and resets them.
 */
const [id = '', folder = '', url = '', schema = ''] = process.argv.slice(2);

setFlagsFromString('--expose-gc');
/** @type {() => void} */
const collectGarbage = runInNewContext('gc');

const stats = createServerStats(collectGarbage);
const { create } = await import(`./${contenderOf(id).module}`);
/** @type {import('node:http').RequestListener} */
const listener = await create({
  id,
  onHandlerStart: (/** @type {number} */ receivedAt) => stats.handlerStarted(receivedAt),
  folder,
  url,
  schema,
});

const server = createServer((request, response) => {
  stats.requestArrived();
  listener(request, response);
});

process.on('message', (question) =>
  process.send?.({ result: question === 'reset' ? stats.reset() : stats.report(question === 'memory') }),
);
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', 1024, () => {
  const address = server.address();
  process.send?.({ ready: true, port: typeof address === 'object' ? address?.port : undefined });
});
