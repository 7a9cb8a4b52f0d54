import { describe, expect, it } from 'vitest';
import {
  handoffChat,
  handoffClose,
  handoffRequest,
  isProbe,
  ValidationError,
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

  it('passes on message types that the contract does not name', () => {
    expect(request({ body: [{ text: 'x', message_type: 'NOTE' }] }).body[0]?.message_type).toBe('NOTE');
    expect(request({ body: [{ text: 'x' }] }).body[0]?.message_type).toBeNull();
  });

  it('has the ids of its user as strings, or null', () => {
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

  it.each([[{ body: 'text' }], [{ body: [1] }], [{ user_info: [] }], [{ user_info: 'me' }], [{ email: 5 }]])(
    'is refused with %j',
    (wrong) => {
      expect(() => request(wrong)).toThrow(ValidationError);
    },
  );
});

describe('a chat message', () => {
  it('comes through unchanged in the form of the contract', () => {
    const body = chatBody();
    expect(validate(handoffChat, body)).toEqual(body);
  });

  it('may be empty, but not absent', () => {
    expect(validate(handoffChat, chatBody({ body: '' })).body).toBe('');
    for (const body of [undefined, null, 5, ['x'], { text: 'x' }]) {
      expect(() => validate(handoffChat, chatBody({ body }))).toThrow(ValidationError);
    }
  });
});

describe('a close notice', () => {
  it.each(['TIMEOUT', 'USER_CLOSED', 'AGENT_GONE'])('passes on the type %s', (type) => {
    expect(validate(handoffClose, closeBody({ type })).type).toBe(type);
  });

  it.each([null, undefined])('may have the type %j', (type) => {
    expect(validate(handoffClose, closeBody({ type })).type).toBeNull();
  });

  it.each([[5], [true], [{}], [['TIMEOUT']]])('is refused with the type %j', (type) => {
    expect(() => validate(handoffClose, closeBody({ type }))).toThrow('type');
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

  it('is a probe only when istest is true itself', () => {
    expect(isProbe(chatBody({ istest: true }))).toBe(true);
    for (const istest of [undefined, null, false, 'true', 1, {}, [true]]) {
      expect(isProbe(chatBody({ istest }))).toBe(false);
    }
  });
});
