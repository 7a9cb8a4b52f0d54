import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { confirm } from '../../src/cli/input.js';
import { hideText } from '../../src/cli/queues.js';

const terminal = (answer: string, isTTY = true) => {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  input.write(`${answer}\n`);
  return { input, output };
};

describe('a question at the terminal', () => {
  it.each([
    ['y', true],
    ['Yes', true],
    ['', false],
    ['n', false],
    ['yeah', false],
  ])('answered with %j is %s', async (answer, expected) => {
    expect(await confirm('Remove it?', false, terminal(answer))).toBe(expected);
  });

  it('is not asked with --yes', async () => {
    const { input, output } = terminal('n', false);
    expect(await confirm('Remove it?', true, { input, output })).toBe(true);
    expect(output.read()).toBeNull();
  });

  it('cannot be asked without a terminal', async () => {
    await expect(confirm('Remove it?', false, terminal('y', false))).rejects.toThrow('Give --yes');
  });
});

describe('the content of an item', () => {
  it('shows ids, kinds and numbers, and the length of every other text', () => {
    const content = {
      conversation_id: 'c-1',
      timestamp: 5,
      email: 'jane@private.example',
      type: 'USER_CLOSED',
      body: [{ text: 'hello', message_type: 'QUESTION' }],
      user_info: { user_id: 'user-1', phone: null },
      words: ['I', 'three'],
    };
    expect(hideText(content)).toEqual({
      conversation_id: 'c-1',
      timestamp: 5,
      email: '[20 characters]',
      type: 'USER_CLOSED',
      body: [{ text: '[5 characters]', message_type: 'QUESTION' }],
      user_info: { user_id: 'user-1', phone: null },
      words: ['[1 character]', '[5 characters]'],
    });
    expect(hideText(null)).toBeNull();
  });
});
