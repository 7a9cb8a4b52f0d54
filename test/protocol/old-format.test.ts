import { describe, expect, it } from 'vitest';
import { isOldMessageFormat, ValidationError, validateWebhook } from '../../src/protocol/index.js';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { errorOf } from './error-of.js';

const oldBody = {
  message_id: 'm',
  message_type: 'ANSWER',
  text: 'Hello',
  flow_output: [{ content: 'Hello', branch: 'main', from_component_name: 'Answer' }],
  create_time: 1_679_587_005,
  conversation_id: 'c',
};

describe('the deprecated message format', () => {
  it('is refused with an error that names it and the remedy', () => {
    const error = errorOf(() => validateWebhook('message', oldBody));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error.code).toBe('OLD_MESSAGE_FORMAT');
    expect(error.message).toContain('V1');
    expect(error.message).toContain('set the bot');
    expect(error.issues).toEqual([{ path: 'output', message: 'expected the current message format' }]);
  });

  it.each([
    ['text and message_type', { ...oldBody, flow_output: undefined }],
    ['text alone', { ...oldBody, flow_output: undefined, message_type: undefined }],
    ['message_type alone', { ...oldBody, flow_output: undefined, text: undefined }],
    ['text that is null', { ...oldBody, flow_output: null, text: null }],
    ['text beside an output of null', { ...oldBody, output: null }],
    ['flow_output alone', { ...oldBody, message_type: undefined, text: undefined }],
    ['an empty flow_output', { ...oldBody, flow_output: [] }],
  ])('is recognised by %s', (_what, body) => {
    expect(errorOf(() => validateWebhook('message', body)).code).toBe('OLD_MESSAGE_FORMAT');
  });

  it('is recognised only in a body without output', () => {
    expect(validateWebhook('message', botMessageBody({ text: 'x', message_type: 'ANSWER' }))).toHaveProperty(
      'text',
      'x',
    );
    expect(isOldMessageFormat({ ...oldBody, output: [] })).toBe(false);
  });

  it('is not recognised by a missing output alone', () => {
    expect(isOldMessageFormat({ conversation_id: 'c', message_id: 'm' })).toBe(false);
    expect(isOldMessageFormat({ conversation_id: 'c', message_id: 'm', output: null })).toBe(false);
    expect(errorOf(() => validateWebhook('message', {})).code).toBe('INVALID_BODY');
  });

  it.each([[null], [undefined], ['text'], [5], [[oldBody]]])(
    'is not %j, which is an invalid body',
    (body) => {
      expect(isOldMessageFormat(body)).toBe(false);
      expect(errorOf(() => validateWebhook('message', body)).code).toBe('INVALID_BODY');
    },
  );

  it('is recognised only on the message webhook', () => {
    const body = chatBody({ flow_output: [] });
    expect(validateWebhook('chat', body)).toEqual(body);
  });
});
