import { describe, expect, it, onTestFinished } from 'vitest';
import { createDelivery } from '../../../src/adapters/chat-sdk/delivery.js';
import type { InboundEvent } from '../../../src/bridge/index.js';
import { silentLog } from '../../../src/internal/index.js';
import { deferred } from '../../helpers/deferred.js';

const reply = (id: string): InboundEvent => ({
  kind: 'message',
  id,
  externalId: 'thread',
  author: { kind: 'agent', name: 'Ann' },
  text: id,
  internal: false,
  messageId: id,
});

function setUp() {
  const delivery = createDelivery();
  const ids: string[] = [];
  const stopping = new AbortController();
  const emit = async ({ id }: InboundEvent): Promise<null> => {
    ids.push(id);
    return null;
  };
  const listening = delivery.listen(emit, { signal: stopping.signal, log: silentLog });
  onTestFinished(async () => {
    stopping.abort();
    await listening;
    delivery.stop();
  });
  return { delivery, ids };
}

describe('events of webhooks', () => {
  it('keep the order of their webhooks, though the SDK looks up the author of the first', async () => {
    const { delivery, ids } = setUp();
    const lookup = deferred();
    const first = delivery.inOrder(async () => {
      await lookup.promise;
      await delivery.deliver([reply('first')]);
    });
    const second = delivery.inOrder(() => delivery.deliver([reply('second')]));
    lookup.resolve();
    await Promise.all([first, second]);
    expect(ids).toEqual(['first', 'second']);
  });

  it('are not held up by an earlier webhook that failed', async () => {
    const { delivery, ids } = setUp();
    const failed = delivery.inOrder(() => Promise.reject(new Error('refused by the SDK')));
    const second = delivery.inOrder(() => delivery.deliver([reply('second')]));
    await expect(failed).rejects.toThrow('refused by the SDK');
    await second;
    expect(ids).toEqual(['second']);
  });

  it('make their webhook fail when they come too late, even if the SDK swallows errors', async () => {
    const { delivery, ids } = setUp();
    delivery.stop();
    await expect(
      delivery.inOrder(() => delivery.deliver([reply('late')]).catch(() => undefined)),
    ).rejects.toThrow('the bridge is closed');
    expect(ids).toEqual([]);
  });
});
