import { describe, expect, it } from 'vitest';
import { readAgentMessage } from '../../src/public/adapter.js';

const RULES = { insidePrefix: '//', closeWords: ['!close', 'done', 'bye!'] };
const read = (text: string, rules = RULES) => readAgentMessage(text, rules);

describe('a message of an agent', () => {
  it.each([
    '// is this the third time?',
    '／／全角',
    '\u200b// behind an invisible character',
    '• // in a list',
    '- // in a list',
    '1. // in a list',
    '> // in a quote',
    '*// in bold*',
    '@ann can you look?',
    '@张三 看一下',
    '@Ömer bakar mısın',
    '@Иван посмотри',
    '@محمد انظر',
    '＠张三 看一下',
    '@🦊 look',
    '• @张三 看一下',
    ', @ann look',
  ])('is a note: %s', (text) => {
    expect(read(text)).toEqual({ text, internal: true, closes: false });
  });

  it.each(['see https://x.example', 'Ask @ann', 'We open @ 9', '@', '- a // b', '3.5 kg', '', '…'])(
    'is a reply: %s',
    (text) => {
      expect(read(text)).toEqual({ text, internal: false, closes: false });
    },
  );

  it('is a note by a prefix that looks like a bullet', () => {
    expect(read('-- hm', { ...RULES, insidePrefix: '--' }).internal).toBe(true);
    expect(read('- a list', { ...RULES, insidePrefix: '--' }).internal).toBe(false);
    expect(read('// hm', { ...RULES, insidePrefix: '／／' }).internal).toBe(true);
  });

  it.each([
    ['See you! !close', 'See you!'],
    ['!close', ''],
    ['！close', ''],
    ['！ＣＬＯＳＥ', ''],
    ['再见!close', '再见'],
    ['再见！close', '再见'],
    ['Bye !Close. ', 'Bye'],
    ['Bye !close\u200b', 'Bye'],
    ['all done', 'all'],
    ['好了done', '好了'],
    ['İstanbul !close', 'İstanbul'],
    ['All settled. bye!', 'All settled.'],
  ])('closes: %s', (text, rest) => {
    expect(read(text)).toEqual({ text: rest, internal: false, closes: true });
  });

  it.each(['!close it', 'abandone', 'undone', 'the door is close', 'Straßedone', 'write not!close'])(
    'does not close: %s',
    (text) => {
      expect(read(text)).toEqual({ text, internal: false, closes: false });
    },
  );
});
