import type { Server } from 'node:http';
import { HandoffKitError } from '../internal/index.js';

const WILDCARDS: readonly string[] = ['::', '0.0.0.0'];

/** Starts to listen. Gives the address under which this machine reaches the server, without a slash at the end. */
export async function listen(server: Server, port: number, host: string | undefined): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(cannotListen(error, port, host));
    server.once('error', fail);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', fail);
      resolve();
    });
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return `http://localhost:${port}`;
  return `http://${nameOf(bound.address)}:${bound.port}`;
}

function nameOf(address: string): string {
  if (WILDCARDS.includes(address)) return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}

function cannotListen(
  { code, message }: NodeJS.ErrnoException,
  port: number,
  host: string | undefined,
): HandoffKitError {
  const known: Record<string, string> = {
    EADDRINUSE: `port ${port} is in use already. Stop what uses it, or choose another port with PORT or --port.`,
    EACCES: `this user may not listen on port ${port}. Choose a port above 1023 with PORT or --port.`,
    EADDRNOTAVAIL: `this machine has no address ${host}. Check HOST or --host.`,
    ENOTFOUND: `the name ${host} is not known here. Check HOST or --host.`,
  };
  return new HandoffKitError(
    'CANNOT_LISTEN',
    `cannot listen: ${known[code ?? ''] ?? `${message}. Check HOST and PORT.`}`,
  );
}
