import { describe, expect, it, onTestFinished } from 'vitest';
import { postgres } from '../../src/delivery/postgres/index.js';
import { splitServers } from '../../src/delivery/postgres/primary.js';
import { chatEvent } from '../helpers/events.js';
import { type Cluster, startCluster } from '../helpers/postgres-cluster.js';
import { makeReceiver } from '../helpers/start.js';
import { tcpProxy } from '../helpers/tcp-proxy.js';
import { eventually } from './contract/stage.js';

describe('a connection string with several servers', () => {
  it('is split', () => {
    expect(splitServers('postgres://me:pw@one:5432,two/name?sslmode=require')).toEqual([
      'postgres://me:pw@one:5432/name?sslmode=require',
      'postgres://me:pw@two/name?sslmode=require',
    ]);
    expect(splitServers('postgresql://one/name')).toEqual(['postgresql://one/name']);
  });
});

/** A receiver on a cluster, to which events are sent all the time. */
async function underLoad(cluster: Cluster, connectionString = cluster.connectionString) {
  const delivery = postgres({ connectionString });
  const { receiver } = makeReceiver({ delivery });
  const handled: string[] = [];
  receiver.on('handoff.message', ({ text }) => void handled.push(text));
  onTestFinished(async () => void (await receiver.close({ timeoutMs: 1_000 })));
  await receiver.start();
  const stored: string[] = [];
  let isSending = true;
  let number = 0;
  const sender = (async () => {
    while (isSending) {
      number += 1;
      const key = `event ${number}`;
      // A sender repeats what was not answered 200.
      while (
        isSending &&
        !/stored|duplicate/.test(await delivery.accept(chatEvent('c', { key, text: key })))
      ) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if (isSending) stored.push(key);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    stored,
    handled,
    /** Waits until more events were stored. */
    async progress(count = 20) {
      const target = stored.length + count;
      await eventually(() => expect(stored.length).toBeGreaterThan(target));
    },
    /** Waits until events are stored and handled again, and prints how long that took. */
    async recovery(fault: string) {
      const began = performance.now();
      const before = stored.length;
      const after = async (isDone: () => boolean): Promise<number> => {
        while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 10));
        return Math.round(performance.now() - began);
      };
      const storedAfter = await after(() => stored.length > before);
      const handledAfter = await after(() => handled.includes(stored[before] ?? ''));
      process.stdout.write(
        `${fault}: an event was stored after ${storedAfter} ms, and handled after ${handledAfter} ms\n`,
      );
    },
    async end() {
      isSending = false;
      await sender;
      await eventually(async () => expect((await delivery.stats()).pending).toBe(0));
    },
  };
}

/** Everything that was acknowledged was handled, in order; an interrupted event may have run twice. */
function expectNothingLost({
  stored,
  handled,
}: {
  stored: readonly string[];
  handled: readonly string[];
}): void {
  const first = [...new Set(handled)];
  expect(stored.filter((key) => !first.includes(key))).toEqual([]);
  expect(first.filter((key) => stored.includes(key))).toEqual(stored);
}

describe('a primary with a standby', () => {
  it('is survived when it is killed', async () => {
    const cluster = await startCluster();
    const load = await underLoad(cluster);
    await load.progress();
    await cluster.primary.kill();
    const recovery = load.recovery('killed');
    await cluster.promote();
    await recovery;
    await load.progress();
    await load.end();
    expectNothingLost(load);
  });

  it('is survived when it freezes, and writes nothing when it comes back', async () => {
    const cluster = await startCluster();
    const load = await underLoad(cluster);
    await load.progress();
    cluster.primary.freeze();
    const recovery = load.recovery('frozen');
    await cluster.promote();
    await recovery;
    await load.progress();
    cluster.primary.thaw();
    await load.progress();
    await load.end();
    expectNothingLost(load);
  });

  it('is left behind an address that is given to its successor, although it keeps its connections', async () => {
    const cluster = await startCluster();
    const proxy = await tcpProxy(cluster.primary.port);
    const load = await underLoad(cluster, `postgres://postgres:postgres@127.0.0.1:${proxy.port}/postgres`);
    await load.progress();
    await cluster.primary.query(`ALTER SYSTEM SET default_transaction_read_only = 'on'`);
    await cluster.primary.query('SELECT pg_reload_conf()');
    const recovery = load.recovery('switched over behind one address');
    await cluster.promote();
    proxy.leadTo(cluster.standby.port);
    await recovery;
    await load.progress();
    await load.end();
    expectNothingLost(load);
  });

  it('is found when it is not the first server, and after it was demoted', async () => {
    const cluster = await startCluster();
    const reversed = `postgres://postgres:postgres@127.0.0.1:${cluster.standby.port},127.0.0.1:${cluster.primary.port}/postgres`;
    const load = await underLoad(cluster, reversed);
    await load.progress();
    // Switched over on purpose: the old primary only reads from now on, and keeps its connections.
    await cluster.primary.query(`ALTER SYSTEM SET default_transaction_read_only = 'on'`);
    await cluster.primary.query('SELECT pg_reload_conf()');
    const recovery = load.recovery('switched over');
    await cluster.promote();
    await recovery;
    await load.progress();
    await load.end();
    expectNothingLost(load);
  });
});
