import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapedChunks, truncate } from '../../../src/adapters/slack/outgoing-text.js';
import { unescaped } from '../../fixtures/slack/typed-text.js';
import { markupTags, visibleText } from '../../fixtures/slack/visible-text.js';
import { property } from '../../helpers/property.js';
import { call, errorOf, newSession, refOf, tsOf, withFake } from './support.js';

const message = (text: string) => ({ key: 'm-1', text, sentAt: null });

async function opened() {
  const { fake, adapter } = await withFake();
  const session = newSession();
  const ref = refOf(session, await adapter.open(session, call));
  return { fake, adapter, ref, thread: tsOf(ref) };
}

describe('a message of the user', () => {
  it('is posted in the thread, and its id is returned', async () => {
    const { fake, adapter, ref, thread } = await opened();
    const { messageId } = await adapter.send(ref, message('Hello?'), call);
    expect(fake.workspace.thread(thread)).toMatchObject([{ ts: messageId, text: 'Hello?' }]);
    expect(fake.calls.at(-1)).toMatchObject({
      method: 'chat.postMessage',
      contentType: 'application/json; charset=utf-8',
      args: { mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false },
    });
  });

  it.each([
    '<!channel> <!here|x> <@U0ANN> <!subteam^S1>',
    '<https://evil.example|your bank>',
    'a & b &amp; c &lt;!channel&gt;',
    '`code` *bold* ```block``` ~no~ > quote',
    '👋🏼 👨‍👩‍👧 ❤️',
    '日本語の文章、한국어 문장',
    'שלום العربية \u202e right to left',
    '<b>HTML</b> <script>alert(1)</script>',
    '@channel @here #general',
    '&'.repeat(3_800),
    'a\n\nb\tc',
  ])('is shown literally, without mentions or links: %j', async (text) => {
    const { fake, adapter, ref, thread } = await opened();
    await adapter.send(ref, message(text), call);
    const [shown] = fake.workspace.thread(thread);
    expect(shown && visibleText(shown)).toBe(text);
    expect(shown && markupTags(shown)).toEqual([]);
  });

  it('is posted as plain text', async () => {
    const { fake, adapter, ref, thread } = await opened();
    await adapter.send(ref, message('half a \ud83d pair'), call);
    expect(fake.workspace.thread(thread)).toMatchObject([{ text: 'half a \ufffd pair' }]);
  });

  it.each(['', '   ', '\n'])('is shown as an empty message: %j', async (text) => {
    const { fake, adapter, ref, thread } = await opened();
    await adapter.send(ref, message(text), call);
    expect(fake.workspace.thread(thread)).toMatchObject([{ text: '[empty message]' }]);
  });

  it('fails with gone when the thread was deleted', async () => {
    const { fake, adapter, ref, thread } = await opened();
    fake.workspace.delete(thread);
    expect(await errorOf(adapter.send(ref, message('x'), call))).toMatchObject({ kind: 'gone' });
  });

  it('fails for an id of another adapter', async () => {
    const { adapter, ref } = await opened();
    const strange = { ...ref, externalId: '17' };
    expect(await errorOf(adapter.send(strange, message('x'), call))).toMatchObject({ kind: 'invalid' });
  });
});

describe('texts for Slack', () => {
  property([fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 5, max: 60 })])(
    'are never too long, cut nothing in two, and lose nothing but blanks',
    (text, most) => {
      const pieces = escapedChunks(text, most);
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(most);
        expect(piece).not.toMatch(/&(?!amp;|lt;|gt;)|[<>]/);
      }
      const bare = (words: string) => words.replace(/\s+/g, '');
      expect(bare(unescaped(pieces.join('')))).toBe(bare(text));
    },
  );

  it.each([
    ['short', 10, 'short'],
    ['exactly 10', 10, 'exactly 10'],
    ['longer than that', 10, 'longer th…'],
    ['ab👋cd', 4, 'ab…'],
  ])('are truncated: %j to %i', (text, most, clipped) => {
    expect(truncate(text, most)).toBe(clipped);
  });
});
