import { describe, expect, it } from 'vitest';
import {
  type Adapter,
  AdapterError,
  type UndeliveredMessage,
  type UndeliveredReason,
} from '../../src/public/adapter.js';
import { eventually } from '../helpers/eventually.js';
import { serve } from '../helpers/serve.js';
import { agentCloses, agentSays, fakeDesk } from './fake-desk.js';
import { onSharedFile } from './instances.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

/** The part of an adapter that is told of replies, and what it was told. */
function recorder() {
  const told: (UndeliveredMessage & { kind: UndeliveredReason['kind']; externalId: string })[] = [];
  const undelivered: NonNullable<Adapter['undelivered']> = async ({ externalId }, message, { kind }) => {
    told.push({ ...message, kind, externalId });
  };
  return { told, undelivered };
}

/** A platform that refuses every reply for good. */
async function refusingPlatform() {
  const { url } = await serve((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"msg":"no such conversation"}');
  });
  return { baseUrl: url, apiKey: 'key-of-the-platform' };
}

describe('a reply that does not reach the user', () => {
  it('because the user has left is reported to the agents, once', async () => {
    const { told, undelivered } = recorder();
    const { bench, bridge, sendEvents } = await setUpBridge({ adapter: { undelivered } });
    await bench.requestHandoff();
    await bench.closeByUser();
    const reply = agentSays('Are you there?', { messageId: 'M7' });
    await sendEvents(reply);
    await sendEvents(reply);
    await bridge.close();
    expect(told).toEqual([{ messageId: 'M7', text: 'Are you there?', kind: 'ended', externalId: 'T1' }]);
  });

  it('because an agent has closed is reported to the agents; notes and echoes are not', async () => {
    const { told, undelivered } = recorder();
    const { bench, bridge, sendEvents } = await setUpBridge({ adapter: { undelivered } });
    await bench.requestHandoff();
    await sendEvents(
      agentCloses(),
      agentSays('One more thing.'),
      agentSays('a note', { internal: true }),
      agentSays('ours', { author: { kind: 'self', name: null } }),
      agentSays('a survey', { author: { kind: 'system', name: null } }),
    );
    await bridge.close();
    expect(told).toMatchObject([{ text: 'One more thing.', kind: 'ended' }]);
  });

  it.each(['inline', 'stored'] as const)('because the platform refuses it is reported: %s', async (way) => {
    const { told, undelivered } = recorder();
    const platform = await refusingPlatform();
    const { bench, desk, sendEvents } = await setUpBridge({
      adapter: { undelivered },
      receiver: { platform, ...(way === 'stored' && { delivery: await sqliteDelivery() }) },
    });
    await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(1));
    await sendEvents(agentSays('Hello.', { messageId: 'M1' }));
    await eventually(() => expect(told).toMatchObject([{ messageId: 'M1', text: 'Hello.', kind: 'failed' }]));
  });

  it('is reported after a restart that came between the refusal and the report, once', async () => {
    const desk = fakeDesk();
    const { told, undelivered } = recorder();
    const platform = await refusingPlatform();
    const { bench, start, routeTo } = await onSharedFile(desk, platform);
    // Cannot tell the agents.
    const first = await start({
      adapter: { undelivered: () => Promise.reject(new AdapterError('transient', 'the desk is down.')) },
    });
    routeTo(first);
    await bench.requestHandoff();
    await eventually(() => expect(desk.tickets).toHaveLength(1));
    await first.sendEvents(agentSays('Hello.', { messageId: 'M1' }));
    await first.logged.until('the agents were not told that a reply did not reach the user');
    await first.stop();
    await start({ adapter: { undelivered }, bridge: { reconcileEveryMs: 50 } });
    await eventually(() => expect(told).toMatchObject([{ text: 'Hello.', kind: 'failed' }]));
  });
});

describe('an adapter that cannot mark a reply as undelivered', () => {
  it('gets a note instead, which is not echoed to the user', async () => {
    const platform = await refusingPlatform();
    const { bench, bridge, desk, sendEvents } = await setUpBridge({ receiver: { platform } });
    await bench.requestHandoff();
    await sendEvents(agentSays('Hello.'));
    await eventually(() => expect(desk.sentTexts()).toHaveLength(1));
    const [note = ''] = desk.sentTexts();
    expect(note).toBe('(This reply did not reach the user: "Hello." The platform did not take it.)');
    await sendEvents(agentSays(note, { messageId: 'T1-M1' }));
    await bridge.close();
    expect(desk.sentTexts()).toEqual([note]);
  });

  it('gets nothing after the end, since a message could open the conversation again; the log says so', async () => {
    const { bench, desk, bridge, sendEvents, logged } = await setUpBridge();
    await bench.requestHandoff();
    await bench.closeByUser();
    await sendEvents(agentSays('Are you there?'));
    await bridge.close();
    expect(desk.sentTexts()).toEqual([]);
    expect(logged.about('a reply did not reach the user')).toMatchObject([{ level: 40 }]);
  });
});
