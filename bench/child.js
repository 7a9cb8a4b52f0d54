import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A child process of the benchmark that answers one question at a time.
 *
 * @typedef {object} Child
 * @property {number} port the port of a server
 * @property {(question: object | string) => Promise<any>} ask
 * @property {() => void} stop makes it clean up and exit
 */

/**
 * Between its rounds a server has no requests, and V8 would take it for idle and drop compiled code that depends on
 * the shape of a request. The flag works only at the start of a process.
 */
const NEVER_IDLE = '--no-memory-reducer';

/**
 * Starts a process and waits until it reports that it is ready. If it exits, pending questions reject.
 *
 * @param {string} file
 * @param {string[]} [args]
 * @param {Record<string, string>} [env] added to the environment of this process
 * @returns {Promise<Child>}
 */
export async function startChild(file, args = [], env = {}) {
  const name = [file, ...args].join(' ');
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    execArgv: [...process.execArgv, NEVER_IDLE],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`${name} exited early (${signal ?? `exit code ${code}`}); see its output above`);
  });
  exited.catch(() => {});
  const nextMessage = async () => {
    const [message] = await Promise.race([once(child, 'message'), exited]);
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
