import { trace } from '@opentelemetry/api';
import { expect, vi } from 'vitest';
import type { Delivery } from '../../src/public/index.js';
import { agentSays, signatureHeaders } from '../bridge/fake-desk.js';
import { setUpBridge } from '../bridge/setup.js';
import { drawTree, startSdk, toPlain, traceparentOf } from './sdk.js';

/**
 * Plays one handoff with a simulated platform and a helpdesk, which continue the test's trace: a request, a message, an
 * agent's reply, a close. Returns the tree of spans once the expected number has arrived.
 */
export async function traceOneHandoff(expected: string, delivery?: Delivery): Promise<string> {
  const sdk = startSdk();
  const root = trace.getTracer('test').startSpan('one handoff');
  const headers = { traceparent: traceparentOf(root.spanContext()) };
  const { bench, url, desk } = await setUpBridge({
    ...(delivery && { receiver: { delivery } }),
    bench: { handoff: { headers } } as object,
  });
  const { traceId } = root.spanContext();
  /** The platform also sends the agent's reply to the message webhook, without a header. */
  const spansOfHandoff = () =>
    sdk
      .spans()
      .map(toPlain)
      .filter((span) => span.traceId === traceId);

  await bench.requestHandoff({ conversationId: 'handoff-1' });
  await vi.waitFor(() => expect(desk.tickets).toHaveLength(1));
  await bench.say('Where is my order?');
  await vi.waitFor(() => expect(desk.tickets[0]?.messages).toHaveLength(1));
  const body = JSON.stringify([agentSays('On its way.')]);
  await fetch(url, { method: 'POST', headers: { ...signatureHeaders(body), ...headers }, body });
  expect((await bench.nextReply()).text).toBe('On its way.');
  await bench.closeByUser();
  await vi.waitFor(() => expect(desk.tickets[0]?.closes).toHaveLength(1));
  root.end();
  const { length } = expected.split('\n');
  await vi.waitFor(() => expect(spansOfHandoff()).toHaveLength(length), { timeout: 10_000 });
  const tree = drawTree(spansOfHandoff());
  console.log(`\n${tree}\n`);
  return tree;
}

/** The tree with a delivery that stores events. */
export const STORED_TREE = `one handoff · internal
├─ POST /conversation/establish · server
│  ├─ fake-desk open · client
│  └─ send inbox · producer
│     └─ process inbox · consumer
├─ POST /chat · server
│  └─ send inbox · producer
│     └─ process inbox · consumer
│        └─ fake-desk send · client
├─ POST fake-desk webhook · server
│  └─ send outbox · producer
│     └─ process outbox · consumer
│        └─ POST /v1/human/message/receive · client
└─ POST /conversation/close · server
   └─ send inbox · producer
      └─ process inbox · consumer
         └─ fake-desk close · client`;
