import { describe, expect, it } from 'vitest';
import type { Adapter, EmitEvents } from '../../src/public/adapter.js';
import type { Receipt } from '../../src/public/index.js';
import { eventually } from '../helpers/eventually.js';
import { agentSays } from './fake-desk.js';
import { setUpBridge } from './setup.js';

const STREAMED = { inbound: ['stream'] } as const;

/** A stream that the test emits on and breaks. */
function fakeStream() {
  const connections: { emit: EmitEvents; end: (error?: Error) => void; signal: AbortSignal }[] = [];
  const stream: Adapter['stream'] = (emit, { signal }) =>
    new Promise((resolve, reject) => {
      connections.push({ emit, signal, end: (error) => (error ? reject(error) : resolve()) });
      signal.addEventListener('abort', () => resolve());
    });
  return { stream, connections };
}

describe('streaming', () => {
  it('delivers events, and returns the receipt of the reply, also for a repeat', async () => {
    const { stream, connections } = fakeStream();
    const { bench, shown } = await setUpBridge({ capabilities: STREAMED, adapter: { stream } });
    await bench.requestHandoff();
    await eventually(() => expect(connections).toHaveLength(1));
    const event = agentSays('hello');
    const receipt = (await connections[0]?.emit(event)) as Receipt;
    expect(shown()).toEqual(['hello']);
    await expect(receipt.delivered()).resolves.toBeDefined();
    expect(await connections[0]?.emit(event)).toBe(receipt);
    expect(await connections[0]?.emit(agentSays('a note', { internal: true }))).toBeNull();
    expect(shown()).toEqual(['hello']);
  });

  it('reconnects when the stream breaks', async () => {
    const { stream, connections } = fakeStream();
    const { bench, shown } = await setUpBridge({ capabilities: STREAMED, adapter: { stream } });
    await bench.requestHandoff();
    await eventually(() => expect(connections).toHaveLength(1));
    connections[0]?.end(new Error('connection lost'));
    await eventually(() => expect(connections).toHaveLength(2));
    await connections[1]?.emit(agentSays('hello'));
    expect(shown()).toEqual(['hello']);
  });

  it('aborts the stream when the bridge closes', async () => {
    const { stream, connections } = fakeStream();
    const { bridge } = await setUpBridge({ capabilities: STREAMED, adapter: { stream } });
    await eventually(() => expect(connections).toHaveLength(1));
    await bridge.close();
    expect(connections[0]?.signal.aborted).toBe(true);
  });
});
