import { parseMarkdown } from 'chat';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/adapters/chat-sdk/plain-text.js';

describe('the plain text of a message with styles', () => {
  it.each([
    ['**bold** _italic_ ~~gone~~ `code`', 'bold italic gone code'],
    ['First\nsecond\n\nThird', 'First\nsecond\n\nThird'],
    [
      '[our site](https://x.example/a) and https://y.example',
      'our site (https://x.example/a) and https://y.example',
    ],
    ['write to help@x.example', 'write to help@x.example'],
    ['* one\n* two\n  * inner', '- one\n- two\n  - inner'],
    ['3. three\n4. four', '3. three\n4. four'],
    ['- [x] done\n- [ ] open', '- [x] done\n- [ ] open'],
    ['> quoted\n> twice\n\nanswer', '> quoted\n> twice\n\nanswer'],
    ['# 1 priority', '# 1 priority'],
    ['```\nline 1\n  line 2\n```', 'line 1\n  line 2'],
    ['a <b>tag</b>', 'a <b>tag</b>'],
    ['![a cat](https://x.example/cat.png)', 'a cat https://x.example/cat.png'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', 'a | b\n1 | 2'],
    ['above\n\n---\n\nbelow', 'above\n\n---\n\nbelow'],
  ])('of %j is %j', (markdown, text) => {
    expect(plainText(parseMarkdown(markdown))).toBe(text);
  });
});
