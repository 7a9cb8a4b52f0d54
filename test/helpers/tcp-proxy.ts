import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Stands between a client and a server, and does to their connections what networks do. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections were made so far. */
  readonly made: number;
  /** Cuts every connection. New ones are taken. */
  cut(): void;
  /** Whether new connections are refused. */
  refuse(refusing: boolean): void;
  /** Forwards nothing more on the connections there are, without closing them: nobody is told, ever. */
  swallow(): void;
}

/** Starts a proxy to a port of this machine, until the test ends. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let refusing = false;
  let made = 0;

  const server = createServer((near) => {
    near.on('error', () => {});
    if (refusing) {
      near.destroy();
      return;
    }
    made += 1;
    const far = connect(target, '127.0.0.1');
    far.on('error', () => {});
    near.pipe(far).pipe(near);
    const pair = [near, far] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    near.on('close', end);
    far.on('close', end);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const cut = (): void => {
    for (const [near] of pairs) near.destroy();
  };
  onTestFinished(async () => {
    server.close();
    cut();
    await once(server, 'close');
  });
  return {
    port: (server.address() as AddressInfo).port,
    get made() {
      return made;
    },
    cut,
    refuse(now) {
      refusing = now;
    },
    swallow() {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.on('data', () => {});
        far.on('data', () => {});
      }
    },
  };
}
