import { describe, expect, it } from 'vitest';
import { plainText, richTextToPlain } from '../../../src/adapters/slack/plain-text.js';

const ownId = 'U0APP';

describe('plain text of Slack markup', () => {
  it.each([
    ['plain words', 'plain words'],
    ['a &amp; b &lt;c&gt; &amp;lt; &quot;', 'a & b <c> &lt; &quot;'],
    ['<https://x.example/?a=1&amp;b=2>', 'https://x.example/?a=1&b=2'],
    ['<https://x.example|x.example>', 'https://x.example'],
    ['<https://x.example/help|our help>', 'our help (https://x.example/help)'],
    ['<mailto:a@x.example|a@x.example>', 'a@x.example'],
    ['<tel:+123|+123>', '+123'],
    ['<@U0BEN|ben> and <@U0EVE>', '@ben and @colleague'],
    ['<@U0APP> hello', ' hello'],
    ['<#C0123|general> <#C0123>', '#general #channel'],
    ['<!here> <!channel> <!subteam^S1|@team> <!subteam^S1>', '@here @channel @team @colleagues'],
    ['<!date^1392734382^{date}|Feb 18, 2014>', 'Feb 18, 2014'],
    ['*bold* _it_ `code`', '*bold* _it_ `code`'],
    ['1 < 2 <', '1 < 2 <'],
    ['<|>', ''],
    ['<>', ''],
  ])('%j', (text, plain) => {
    expect(plainText(text, ownId)).toBe(plain);
  });
});

describe('plain text of Slack blocks', () => {
  const section = (...elements: unknown[]) => ({ type: 'rich_text_section', elements });
  const text = (words: string, style = {}) => ({ type: 'text', text: words, style });
  const plain = (...elements: unknown[]) => richTextToPlain([{ type: 'rich_text', elements }], ownId);

  it('drops styles and nothing else', () => {
    expect(plain(section(text('2*3*4 is '), text('bold', { bold: true }), text(' & <this>')))).toBe(
      '2*3*4 is bold & <this>',
    );
  });

  it('puts lists, quotes and code on separate lines', () => {
    const items = [section(text('one')), section(text('two'))];
    const list = { type: 'rich_text_list', style: 'bullet', elements: items };
    const numbers = { type: 'rich_text_list', style: 'ordered', indent: 1, offset: 2, elements: items };
    const quote = { type: 'rich_text_quote', elements: [text('said')] };
    const code = { type: 'rich_text_preformatted', elements: [text('x = 1')] };
    expect(plain(section(text('Do:\n')), list, numbers, quote, code)).toBe(
      'Do:\n• one\n• two\n  3. one\n  4. two\nsaid\nx = 1',
    );
  });

  it('shows emoji as characters, and custom emoji by name', () => {
    const wave = { type: 'emoji', name: 'wave', unicode: '1f44b-1f3fc' };
    const own = { type: 'emoji', name: 'party-parrot' };
    const broken = { type: 'emoji', name: 'odd', unicode: '110000' };
    expect(plain(section(wave, own, broken))).toBe('👋🏼:party-parrot::odd:');
  });

  it('shows mentions, links and dates', () => {
    const elements = [
      { type: 'user', user_id: 'U0ANN' },
      { type: 'user', user_id: 'U0APP' },
      { type: 'usergroup', usergroup_id: 'S1' },
      { type: 'broadcast', range: 'here' },
      { type: 'channel', channel_id: 'C1' },
      { type: 'link', url: 'https://x.example', text: 'help' },
      { type: 'date', timestamp: 1, fallback: 'today' },
      { type: 'color', value: '#FF0000' },
    ];
    expect(plain(section(...elements))).toBe(
      '@colleague@colleagues@here#channelhelp (https://x.example)today#FF0000',
    );
  });

  it.each([
    ['no blocks', undefined],
    ['an empty list', []],
    ['another block', [{ type: 'section', text: { type: 'mrkdwn', text: 'x' } }]],
    ['an unknown part', [{ type: 'rich_text', elements: [{ type: 'rich_text_new', elements: [] }] }]],
    ['an unknown element', [{ type: 'rich_text', elements: [section({ type: 'new' })] }]],
    ['a date without words', [{ type: 'rich_text', elements: [section({ type: 'date' })] }]],
  ])('is null for unknown blocks: %s', (_, blocks) => {
    expect(richTextToPlain(blocks, ownId)).toBeNull();
  });
});
