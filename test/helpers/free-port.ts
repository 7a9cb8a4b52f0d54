import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that the system gives to servers that ask for none and to clients (from 32768 on Linux): between this
 * call and the start of the program under test, no other test gets the port.
 */
const FIRST = 10_000;
const LAST = 32_000;

/** A port without a server. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
