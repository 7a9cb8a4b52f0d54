import { describe, expect, it } from 'vitest';
import {
  handoffChat,
  handoffClose,
  handoffRequest,
  isProbe,
  validate,
  validateWebhook,
} from '../../src/protocol/index.js';
import { chatBody, closeBody, establishBody, type WireBody } from '../fixtures/bodies.js';

const request = (overrides: WireBody = {}) => validate(handoffRequest, establishBody(overrides));

describe('a handoff request', () => {
  it('comes through unchanged in the form of the contract', () => {
    const body = establishBody();
    expect(validate(handoffRequest, body)).toEqual(body);
  });

  it('needs only its conversation', () => {
    expect(validate(handoffRequest, { conversation_id: 'c' })).toEqual({
      conversation_id: 'c',
      timestamp: null,
      email: null,
      bot_id: null,
      body: [],
      user_info: { phone: null, email: null, user_id: null, anonymous_id: null },
    });
  });

  it('may have null in all other fields', () => {
    const nothing = { timestamp: null, email: null, bot_id: null, body: null, user_info: null };
    expect(validate(handoffRequest, { conversation_id: 'c', ...nothing })).toEqual(
      validate(handoffRequest, { conversation_id: 'c' }),
    );
  });

  it('takes an answer without text', () => {
    const body = [
      { text: '', message_type: 'ANSWER' },
      { text: null, message_type: 'ANSWER' },
      { message_type: 'ANSWER' },
    ];
    expect(request({ body }).body.map(({ text }) => text)).toEqual(['', '', '']);
  });

  it('passes on unknown message types', () => {
    expect(request({ body: [{ text: 'x', message_type: 'NOTE' }] }).body[0]?.message_type).toBe('NOTE');
    expect(request({ body: [{ text: 'x' }] }).body[0]?.message_type).toBeNull();
  });

  it("has its user's ids as strings, or null", () => {
    expect(request({ user_info: { user_id: 42, anonymous_id: '' } }).user_info).toMatchObject({
      user_id: '42',
      anonymous_id: null,
    });
  });

  it.each([[{}], [{ user_info: null }]])('shares no user between requests: %j', (rest) => {
    const body = { conversation_id: 'c', ...rest };
    validate(handoffRequest, body).user_info.phone = 'of another user';
    expect(validate(handoffRequest, body).user_info.phone).toBeNull();
  });

  it.each([
    ['a string', 'Help', [{ text: 'Help', message_type: null }]],
    ['an empty string', '', []],
    ['one item', { text: 'Help', message_type: 'QUESTION' }, [{ text: 'Help', message_type: 'QUESTION' }]],
    [
      'items that are strings, numbers or null',
      ['Help', 5, null],
      ['Help', '5', ''].map((text) => ({ text, message_type: null })),
    ],
    [
      'numbers and null in items',
      [
        { text: 5, message_type: 1 },
        { text: null, message_type: null },
      ],
      [
        { text: '5', message_type: '1' },
        { text: '', message_type: null },
      ],
    ],
    ['an object as text', [{ text: { de: 'Hilfe' }, message_type: '' }], [{ text: '', message_type: null }]],
  ])('accepts as its body %s', (_what, body, seen) => {
    expect(request({ body }).body).toEqual(seen);
  });

  it.each([
    [[]],
    [''],
    [null],
    [undefined],
    [{}],
    ['me'],
    [5],
    [[null]],
    [[{ user_id: 'a' }, { user_id: 'b' }]],
  ])('has no user with %j as user_info', (user_info) => {
    const unknownUser = { phone: null, email: null, user_id: null, anonymous_id: null };
    expect(request({ user_info }).user_info).toEqual(unknownUser);
  });

  it('accepts a list of one as user_info', () => {
    const user = { phone: '1', email: 'a@example.com', user_id: 'u', anonymous_id: 'a' };
    expect(request({ user_info: [user] }).user_info).toEqual(user);
  });

  it('has numbers as text, and null for other values', () => {
    expect(request({ email: 5, bot_id: 7, user_info: { phone: 4_912_345, email: {} } })).toMatchObject({
      email: '5',
      bot_id: '7',
      user_info: { phone: '4912345', email: null },
    });
    expect(request({ email: ['a'], bot_id: {} })).toMatchObject({ email: null, bot_id: null });
  });
});

describe('a chat message', () => {
  it('comes through unchanged in the form of the contract', () => {
    const body = chatBody();
    expect(validate(handoffChat, body)).toEqual(body);
  });

  it.each([
    ['', ''],
    [null, ''],
    [undefined, ''],
    [5, '5'],
    [true, 'true'],
  ])('with the body %j is read as %j', (body, seen) => {
    expect(validate(handoffChat, chatBody({ body })).body).toBe(seen);
  });

  it.each([[['x']], [{ text: 'x' }], [[]], [{}]])('is refused with the body %j', (body) => {
    expect(() => validate(handoffChat, chatBody({ body }))).toThrow('body: expected a string');
  });
});

describe('a close notice', () => {
  it.each(['TIMEOUT', 'USER_CLOSED', 'BOT_GONE'])('passes on the type %s', (type) => {
    expect(validate(handoffClose, closeBody({ type })).type).toBe(type);
  });

  it.each([[null], [undefined], [''], [{}], [['TIMEOUT']]])('may have the type %j', (type) => {
    expect(validate(handoffClose, closeBody({ type })).type).toBeNull();
  });

  it('reads a number as its type as text', () => {
    expect(validate(handoffClose, closeBody({ type: 5 })).type).toBe('5');
  });
});

describe('every handoff body', () => {
  it.each(['establish', 'chat', 'close'] as const)('of %s needs its conversation', (endpoint) => {
    for (const conversation_id of [undefined, null, '', {}, []]) {
      expect(() => validateWebhook(endpoint, { body: undefined, conversation_id })).toThrow(
        'conversation_id',
      );
    }
  });

  it('names the cause if a parser rounded a number', () => {
    expect(() => validateWebhook('chat', { conversation_id: 2 ** 60 })).toThrow(
      'conversation_id: expected a string: this number is above 2^53',
    );
  });

  it.each([[true], ['true'], ['True'], ['TRUE'], [' true '], [1], ['1']])(
    'is a probe with istest %j',
    (istest) => {
      expect(isProbe(chatBody({ istest }))).toBe(true);
      expect(validate(handoffChat, chatBody({ istest })).istest).toBe(true);
    },
  );

  it.each([[undefined], [null], [false], ['false'], [0], ['0'], [''], ['no'], [2], [{}], [[true]]])(
    'is not a probe with istest %j',
    (istest) => {
      expect(isProbe(chatBody({ istest }))).toBe(false);
      expect(validate(handoffChat, chatBody({ istest })).istest).not.toBe(true);
    },
  );
});
