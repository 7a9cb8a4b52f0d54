import { describe, expect, it } from 'vitest';
import type { DeskSignal } from '../../src/desk/api.js';
import { eventually, listen, type Stream } from './agent-client.js';
import { deskWithHandoff } from './desk-environment.js';

/** The last signal that a stream brought. */
const signalOf = (stream: Stream): DeskSignal | null => {
  const data = [...stream.text().matchAll(/event: signal\ndata: (.*)\n\n/g)].at(-1)?.[1];
  return data === undefined ? null : JSON.parse(data);
};

describe('signals', () => {
  it('say that the platform takes no replies, and that it does again', async () => {
    const { bench, instance, ann, id } = await deskWithHandoff({ stored: true });
    const stream = await listen(instance.url, ann.cookie);
    await eventually(() => expect(signalOf(stream)?.platform).toEqual({ delayed: 0, isRefused: false }));
    bench.faults.set('answerError', { on: ['reply'] });
    await ann.say(id, 'Hello.');
    await eventually(() => expect(signalOf(stream)?.platform).toEqual({ delayed: 1, isRefused: false }));
    bench.faults.clear('answerError');
    await eventually(() => expect(signalOf(stream)?.platform).toEqual({ delayed: 0, isRefused: false }));
    stream.close();
  });

  it('say who looks at a conversation and who types, to agents of other processes too', async () => {
    const { start, instance, ann, id } = await deskWithHandoff({ stored: true });
    const bob = await (await start()).agent('bob');
    const stream = await listen(instance.url, ann.cookie);
    const say = (conversation: string | null, isTyping: boolean) =>
      bob.send('POST', '/api/presence', { conversation, isTyping });
    expect((await say(id, false)).status).toBe(204);
    await eventually(() =>
      expect(signalOf(stream)?.presence).toEqual([{ agent: 'bob', conversation: id, isTyping: false }]),
    );
    await say(id, true);
    await eventually(() =>
      expect(signalOf(stream)?.presence).toEqual([{ agent: 'bob', conversation: id, isTyping: true }]),
    );
    await say(null, false);
    await eventually(() => expect(signalOf(stream)?.presence).toEqual([]));
    stream.close();
  });
});
