import { describe, expect, it } from 'vitest';
import { replyText } from '../../../src/adapters/email/reply-text.js';
import { NOTHING_BUT_QUOTES, PROSE, REPLY_CORPUS } from './reply-corpus.js';

describe('the words of a reply', () => {
  it.each(REPLY_CORPUS)('are found in a mail of $name', ({ mail, reply }) => {
    expect(replyText(mail)).toBe(reply);
    expect(replyText(mail.replaceAll('\n', '\r\n'))).toBe(reply);
  });

  it.each(PROSE)('stay as they are: %j', (text) => {
    expect(replyText(text)).toBe(text);
  });

  it.each(PROSE)('stay as they are above a quote: %j', (text) => {
    const quote = 'On Mon, Nov 16, 2026 at 10:00 AM Customer <handoff@example.com> wrote:\n\n> Where?\n';
    expect(replyText(`${text}\n\n${quote}`)).toBe(text);
  });

  it.each(NOTHING_BUT_QUOTES)('are not lost if all of them look like a quote: %j', (text) => {
    expect(replyText(text)).toBe(text);
  });

  it('are found quickly in a very long mail', () => {
    const long = 'To: a\nFrom b wrote:\n-- \n> c\n\nOn 16 Nov a@b.example wrote:\n\n> d\n'.repeat(20_000);
    expect(replyText(long).length).toBeLessThan(long.length);
  });
});
