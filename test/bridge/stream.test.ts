import { describe, expect, it, vi } from 'vitest';
import type { EmitEvents } from '../../src/adapter.js';
import type { Adapter, Receipt } from '../../src/index.js';
import { agentSays } from './fake-desk.js';
import { stand } from './stand.js';

const STREAMED = { inbound: ['stream'] } as const;

/** A stream that a test feeds and breaks. */
function feed() {
  const lines: { emit: EmitEvents; end: (error?: Error) => void; signal: AbortSignal }[] = [];
  const stream: Adapter['stream'] = (emit, { signal }) =>
    new Promise((resolve, reject) => {
      lines.push({ emit, signal, end: (error) => (error ? reject(error) : resolve()) });
      signal.addEventListener('abort', () => resolve());
    });
  return { stream, lines };
}

describe('a desk that tells by a stream', () => {
  it('is heard, and gets the receipt of what went to the user, also for a repeat', async () => {
    const { stream, lines } = feed();
    const { bench, shown } = await stand({ capabilities: STREAMED, adapter: { stream } });
    await bench.requestHandoff();
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    const event = agentSays('hello');
    const receipt = (await lines[0]?.emit(event)) as Receipt;
    expect(shown()).toEqual(['hello']);
    await expect(receipt.delivered).resolves.toBeDefined();
    expect(await lines[0]?.emit(event)).toBe(receipt);
    expect(await lines[0]?.emit(agentSays('a note', { internal: true }))).toBeNull();
    expect(shown()).toEqual(['hello']);
  });

  it('is listened to again when the stream breaks', async () => {
    const { stream, lines } = feed();
    const { bench, shown } = await stand({ capabilities: STREAMED, adapter: { stream } });
    await bench.requestHandoff();
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    lines[0]?.end(new Error('the line is dead'));
    await vi.waitFor(() => expect(lines).toHaveLength(2), 5_000);
    await lines[1]?.emit(agentSays('hello'));
    expect(shown()).toEqual(['hello']);
  });

  it('is let go of when the bridge closes', async () => {
    const { stream, lines } = feed();
    const { bridge } = await stand({ capabilities: STREAMED, adapter: { stream } });
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    await bridge.close();
    expect(lines[0]?.signal.aborted).toBe(true);
  });
});
