import { describe, expect, it } from 'vitest';
import {
  handoffAnswer,
  humanClose,
  humanCloseAnswer,
  humanReply,
  messageAnswer,
  ValidationError,
  validate,
} from '../../src/protocol/index.js';

const reply = { conversation_id: 'c', timestamp: 1_742_265_090_895, body: 'Hello, this is Ann.' };
const close = { conversation_id: 'c', timestamp: 1_742_265_090_895 };

describe('a reply', () => {
  it('comes through unchanged', () => {
    expect(validate(humanReply, { ...reply, extra: 1 })).toEqual({ ...reply, extra: 1 });
  });

  it.each(['conversation_id', 'timestamp', 'body'])('needs its %s', (field) => {
    for (const missing of [undefined, null]) {
      expect(() => validate(humanReply, { ...reply, [field]: missing })).toThrow(field);
    }
  });

  it('is not empty, and the error says why', () => {
    expect(() => validate(humanReply, { ...reply, body: '' })).toThrow('would show the user nothing');
  });

  it.each([
    [{ conversation_id: '' }],
    [{ conversation_id: 5 }],
    [{ timestamp: -1 }],
    [{ timestamp: 1.5 }],
    [{ timestamp: '1742265090895' }],
    [{ body: ['x'] }],
  ])('is refused with %j', (wrong) => {
    expect(() => validate(humanReply, { ...reply, ...wrong })).toThrow(ValidationError);
  });
});

describe('a close', () => {
  it('comes through unchanged', () => {
    expect(validate(humanClose, close)).toEqual(close);
  });

  it.each(['conversation_id', 'timestamp'])('needs its %s', (field) => {
    expect(() => validate(humanClose, { ...close, [field]: undefined })).toThrow(field);
  });
});

describe('answers', () => {
  it('to a handoff request carry code and message', () => {
    expect(validate(handoffAnswer, { code: 200, message: 'success' })).toEqual({
      code: 200,
      message: 'success',
    });
    expect(() => validate(handoffAnswer, { code: 200, msg: 'success' })).toThrow('message');
    expect(() => validate(handoffAnswer, { code: '200', message: 'success' })).toThrow('code');
  });

  it('to the message webhook carry code and msg', () => {
    expect(validate(messageAnswer, { code: 200, msg: 'success' })).toEqual({ code: 200, msg: 'success' });
    expect(() => validate(messageAnswer, { code: 200, message: 'success' })).toThrow('msg');
  });

  it('to a close carry the conversation and the time', () => {
    expect(validate(humanCloseAnswer, close)).toEqual(close);
    expect(() => validate(humanCloseAnswer, { code: 0, message: 'ok' })).toThrow('conversation_id');
  });
});
