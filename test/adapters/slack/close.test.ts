import { describe, expect, it } from 'vitest';
import { hasButton, markupTags, visibleText } from '../../fixtures/slack/visible-text.js';
import { call, errorOf, newSession, refOf, tsOf, withFake } from './support.js';

const REASON = { by: 'user', text: 'The user has left & <!channel>.' } as const;

async function opened() {
  const { fake, adapter } = await withFake();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, call));
  const thread = tsOf(ref);
  return { fake, adapter, session, ref, thread, root: () => fake.workspace.find(thread) };
}

describe('a closed conversation', () => {
  it('has a notice in the thread and in the first message, and no button', async () => {
    const { fake, adapter, ref, thread, root } = await opened();
    await adapter.close(ref, REASON, call);
    const [notice, ...more] = fake.workspace.thread(thread);
    expect(more).toEqual([]);
    expect(notice && visibleText(notice)).toBe('*Closed:* The user has left & <!channel>.');
    expect(notice && markupTags(notice)).toEqual([]);
    const head = root();
    if (!head) throw new Error('the first message is gone');
    expect(hasButton(head)).toBe(false);
    expect(markupTags(head)).toEqual([]);
    expect(visibleText(head)).toContain('Customer: Where is my parcel?');
    expect(visibleText(head)).toContain('*Closed:* The user has left');
    expect(visibleText(head)).not.toContain('Answer in this thread');
  });

  it('is closed only once', async () => {
    const { fake, adapter, ref, thread } = await opened();
    await adapter.close(ref, REASON, call);
    await adapter.close(ref, REASON, call);
    expect(fake.workspace.thread(thread)).toHaveLength(1);
  });

  it('is still found by its session', async () => {
    const { adapter, ref, session } = await opened();
    await adapter.close(ref, REASON, call);
    expect((await adapter.find(session, call))?.externalId).toBe(ref.externalId);
  });

  it('is closed when its first message was deleted', async () => {
    const { fake, adapter, ref, thread } = await opened();
    fake.workspace.delete(thread);
    await adapter.close(ref, REASON, call);
    expect(fake.workspace.messages).toEqual([]);
  });

  it.each(['is_archived', 'channel_not_found'])('is closed when the channel is gone: %s', async (error) => {
    const { fake, adapter, ref } = await opened();
    fake.fail('chat.postMessage', { kind: 'error', error });
    await expect(adapter.close(ref, REASON, call)).resolves.toBeUndefined();
  });

  it.each(['cant_update_message', 'edit_window_closed', 'restricted_action'])(
    'has one notice when Slack refuses for good to update its first message: %s',
    async (error) => {
      const { fake, adapter, ref, thread } = await opened();
      for (const time of [1, 2, 3]) {
        fake.fail('chat.update', { kind: 'error', error });
        await expect(adapter.close(ref, REASON, call), `attempt ${time}`).resolves.toBeUndefined();
      }
      expect(fake.workspace.thread(thread)).toHaveLength(1);
    },
  );

  it('has one notice when the update fails for a while', async () => {
    const { fake, adapter, ref, thread, root } = await opened();
    fake.postAsAgent(thread, 'Hello?');
    for (let count = 0; count < 3; count += 1) {
      fake.fail('chat.update', { kind: 'status', status: 503 });
      expect(await errorOf(adapter.close(ref, REASON, call))).toMatchObject({ kind: 'transient' });
    }
    await adapter.close(ref, REASON, call);
    expect(fake.workspace.thread(thread)).toHaveLength(2);
    const head = root();
    expect(head && hasButton(head)).toBe(false);
  });

  it('is closed by a retry after a partial failure', async () => {
    const { fake, adapter, ref, root } = await opened();
    fake.fail('chat.update', { kind: 'status', status: 503 });
    expect(await errorOf(adapter.close(ref, REASON, call))).toMatchObject({ kind: 'transient' });
    await adapter.close(ref, REASON, call);
    const head = root();
    expect(head && hasButton(head)).toBe(false);
  });
});
