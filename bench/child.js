import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A process of the benchmark that answers one question at a time.
 *
 * @typedef {object} Child
 * @property {number} port where it listens, if it is a server
 * @property {(question: object | string) => Promise<any>} ask
 * @property {() => void} stop lets it clean up and end by itself
 */

/**
 * A server that waits for its turn is not idle. V8 would take it for idle and collect what it can, and with that all
 * compiled code that knows the shape of a request, since there is no request just then. Under load there always is one.
 * It must be said when the process starts: later it has no effect.
 */
const NEVER_IDLE = '--no-memory-reducer';

/**
 * Starts a process and waits until it says that it is ready. Its death is an error of whatever waits for it.
 *
 * @param {string} file
 * @param {string[]} [args]
 * @param {Record<string, string>} [env] besides what this process has
 * @returns {Promise<Child>}
 */
export async function startChild(file, args = [], env = {}) {
  const name = [file, ...args].join(' ');
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    execArgv: [...process.execArgv, NEVER_IDLE],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const dead = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${name} ended early (${signal ?? `exit code ${code}`}); see its output above`);
  });
  dead.catch(() => {});
  const nextMessage = async () => {
    const [message] = await Promise.race([once(child, 'message'), dead]);
    if (message.error) throw new Error(`${name}: ${message.error}`);
    return message;
  };
  const { port } = await nextMessage();
  return {
    port,
    ask: async (question) => {
      const answer = nextMessage();
      child.send(question);
      return (await answer).result;
    },
    stop: () => {
      if (child.connected) child.disconnect();
    },
  };
}
