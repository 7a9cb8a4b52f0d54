import { describe, expect, it } from 'vitest';
import {
  botMessage,
  botMessageEnvelope,
  messageAudio,
  messageText,
  unknownContentKinds,
  ValidationError,
  validate,
  validateWebhook,
} from '../../src/protocol/index.js';
import { botMessageBody } from '../fixtures/bodies.js';

const parse = (overrides: Record<string, unknown> = {}) => validate(botMessage, botMessageBody(overrides));
const tokensOf = (tokens: unknown) => parse({ usage: { tokens } }).usage.tokens;

describe('a message in the form of the contract', () => {
  it('comes through unchanged', () => {
    const body = botMessageBody({ istest: false });
    expect(validate(botMessage, body)).toMatchObject(body);
  });

  it('is not changed in place', () => {
    const body = botMessageBody({ usage: null, output: null });
    const before = structuredClone(body);
    validate(botMessage, body);
    expect(body).toEqual(before);
  });

  it('needs its conversation_id, and a message_id that is one if it has any', () => {
    for (const missing of [undefined, null, '', {}, true]) {
      const body = botMessageBody({ conversation_id: missing });
      expect(() => validateWebhook('message', body)).toThrow(ValidationError);
    }
    for (const wrong of [{}, [], true, 2 ** 60]) {
      const body = botMessageBody({ message_id: wrong });
      expect(() => validateWebhook('message', body)).toThrow(ValidationError);
    }
  });

  it('may lack all other fields', () => {
    const message = validate(botMessage, { conversation_id: 'c', message_id: 'm' });
    expect(message).toMatchObject({ user_id: null, anonymous_id: null, create_time: null, output: [] });
    expect(message.usage.tokens.total_tokens).toBeNull();
    expect(message.usage.tokens.completion_tokens_details.reasoning_tokens).toBeNull();
    expect(message.usage.credits.total_credits).toBeNull();
    expect(message.istest).toBeUndefined();
  });
});

describe('ids', () => {
  it('are strings in the payload when they were sent as numbers', () => {
    expect(parse({ conversation_id: 7, user_id: 8 })).toMatchObject({ conversation_id: '7', user_id: '8' });
  });

  it('are null without a user, even if sent as an empty string', () => {
    expect(parse({ user_id: null, anonymous_id: '' })).toMatchObject({ user_id: null, anonymous_id: null });
  });
});

describe('output', () => {
  it('is an empty list in the payload when null was sent', () => {
    expect(parse({ output: null }).output).toEqual([]);
  });

  it.each([['hello'], [{ content: 'hello' }], [{ content: { text: 'hello' } }], [['hello']]])(
    'is a list in the payload when %j was sent',
    (output) => {
      const body = botMessageBody({ output });
      expect(validate(botMessageEnvelope, body).output).toHaveLength(1);
      expect(messageText(parse({ output }))).toBe('hello');
    },
  );

  it('is an empty list in the payload when an empty string was sent', () => {
    expect(parse({ output: '' }).output).toEqual([]);
  });

  it('reads content sent as plain text, and audio sent as one clip or one address', () => {
    const { output } = parse({
      output: [
        { content: 'hello' },
        { content: { audio: { audio: 'https://a', transcript: 'hi' } } },
        { content: { audio: 'https://b' } },
      ],
    });
    expect(output[0]?.content.text).toBe('hello');
    expect(output[1]?.content.audio).toEqual([{ audio: 'https://a', transcript: 'hi' }]);
    expect(output[2]?.content.audio).toEqual([{ audio: 'https://b', transcript: null }]);
  });

  it('keeps unknown kinds of content', () => {
    const card = { title: 'A card' };
    const message = parse({ output: [{ content: { card, text: 'x' } }, { content: { card, poll: 1 } }] });
    expect(message.output[0]?.content).toHaveProperty('card', card);
    expect(unknownContentKinds(message)).toEqual(['card', 'poll']);
  });

  it('reports no unknown kinds when there are none', () => {
    expect(unknownContentKinds(parse())).toEqual([]);
  });
});

describe('usage', () => {
  it('has the same tokens, sent as an object or as a list', () => {
    expect(tokensOf([{ total_tokens: 3, prompt_tokens: 1 }, { completion_tokens: 2 }])).toEqual(
      tokensOf({ total_tokens: 3, prompt_tokens: 1, completion_tokens: 2 }),
    );
  });

  it('reads tokens from a list of 300,000 elements', () => {
    const list = Array.from({ length: 300_000 }, () => ({ total_tokens: 3 }));
    expect(tokensOf(list).total_tokens).toBe(3);
  });

  it('takes no figure from a prototype named in a list', () => {
    expect(tokensOf(JSON.parse('[{"__proto__":{"total_tokens":7}}]')).total_tokens).toBeNull();
  });

  it.each([
    ['12', 12],
    ['0.5', 0.5],
    [12, 12],
    [null, null],
    ['many', null],
    ['', null],
    [true, null],
    [{}, null],
    ['9'.repeat(400), null],
  ])('reads the quantity %j as %j', (sent, seen) => {
    expect(tokensOf({ total_tokens: sent }).total_tokens).toBe(seen);
    expect(parse({ usage: { credits: { total_credits: sent } } }).usage.credits.total_credits).toBe(seen);
  });
});

describe('istest', () => {
  it.each([
    [true, true],
    [false, false],
    ['true', true],
    [1, true],
    ['false', false],
    ['maybe', undefined],
    [null, undefined],
  ])('sent as %j is %j', (sent, seen) => {
    expect(parse({ istest: sent }).istest).toBe(seen);
  });
});

describe('the text and speech of an answer', () => {
  const speech = [
    { audio: 'https://a', transcript: 'spoken' },
    { audio: 'https://b', transcript: 'twice' },
  ];

  it('join the texts, one line per element', () => {
    expect(messageText(parse({ output: [{ content: { text: 'a' } }, { content: { text: 'b' } }] }))).toBe(
      'a\nb',
    );
  });

  it('use the transcript of an element without text', () => {
    const output = [{ content: { audio: speech } }, { content: { text: 'a', audio: speech } }];
    expect(messageText(parse({ output }))).toBe('spoken\ntwice\na');
  });

  it('skip empty elements', () => {
    const output = [{ content: { text: '' } }, { content: { card: 1 } }, { content: { text: 'a' } }, null];
    expect(messageText(parse({ output }))).toBe('a');
    expect(messageText(parse({ output: [] }))).toBe('');
  });

  it('list all speech in order', () => {
    const output = [
      { content: { audio: speech } },
      { content: { text: 'a' } },
      { content: { audio: speech } },
    ];
    expect(messageAudio(parse({ output }))).toEqual([...speech, ...speech]);
  });
});
