import type { Server } from 'node:http';
import { HandoffKitError } from '../internal/index.js';

const WILDCARD_ADDRESSES: readonly string[] = ['::', '0.0.0.0'];

/** Starts to listen. Resolves to the URL under which this machine reaches the server, without a trailing slash. */
export async function listen(server: Server, port: number, host: string | undefined): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(listenError(error, port, host));
    server.once('error', fail);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off('error', fail);
      resolve();
    });
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return `http://localhost:${port}`;
  return `http://${hostOf(bound.address)}:${bound.port}`;
}

function hostOf(address: string): string {
  if (WILDCARD_ADDRESSES.includes(address)) return 'localhost';
  return address.includes(':') ? `[${address}]` : address;
}

function listenError(
  { code, message }: NodeJS.ErrnoException,
  port: number,
  host: string | undefined,
): HandoffKitError {
  const known: Record<string, string> = {
    EADDRINUSE: `port ${port} is in use already. Stop the program that uses it, or choose another port with PORT or --port.`,
    EACCES: `this user may not listen on port ${port}. Choose a port above 1023 with PORT or --port.`,
    EADDRNOTAVAIL: `this machine has no address ${host}. Check HOST or --host.`,
    ENOTFOUND: `the name ${host} is not known here. Check HOST or --host.`,
  };
  return new HandoffKitError(
    'CANNOT_LISTEN',
    `cannot listen: ${known[code ?? ''] ?? `${message}. Check HOST and PORT.`}`,
  );
}
