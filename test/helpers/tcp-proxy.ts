import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy that simulates network failures. */
export interface TcpProxy {
  readonly port: number;
  /** The number of connections so far. */
  readonly made: number;
  /** Closes every connection, and accepts new connections. */
  cut(): void;
  /** Leads new connections to another port, as a name that is given to another server. */
  leadTo(port: number): void;
  /** Whether new connections are refused. */
  refuse(refusing: boolean): void;
  /** Forwards the next request that contains a text, then closes its connection instead of forwarding the answer. */
  loseAnswerTo(text: string): void;
  /** Whether that has happened. */
  readonly hasLostAnswer: boolean;
  /** Stops forwarding on open connections without closing them, as when packets are dropped. */
  swallow(): void;
}

/** Starts a proxy to a port of this machine, until the test ends. */
export async function tcpProxy(initialTarget: number): Promise<TcpProxy> {
  let target = initialTarget;
  const pairs = new Set<readonly [Socket, Socket]>();
  let refusing = false;
  let made = 0;
  let losing: string | null = null;
  let hasLostAnswer = false;

  const server = createServer((near) => {
    near.on('error', () => {});
    if (refusing) {
      near.destroy();
      return;
    }
    made += 1;
    const far = connect(target, '127.0.0.1');
    far.on('error', () => {});
    near.on('data', (chunk: Buffer) => {
      if (losing === null || !chunk.includes(losing)) return;
      losing = null;
      far.unpipe(near);
      far.once('data', () => {
        hasLostAnswer = true;
        near.destroy();
      });
      far.resume();
    });
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
    leadTo(port) {
      target = port;
    },
    refuse(now) {
      refusing = now;
    },
    loseAnswerTo(text) {
      losing = text;
    },
    get hasLostAnswer() {
      return hasLostAnswer;
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
