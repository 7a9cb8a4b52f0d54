import { describe, expect, it } from 'vitest';
import {
  agentClose,
  agentCloseAnswer,
  agentReply,
  failureBody,
  HEALTH_INTERVAL_MS,
  HEALTH_TIMEOUT_MS,
  HEALTHY,
  handoffAnswer,
  isFailureBody,
  messageAnswer,
  PLATFORM_CODES,
  ValidationError,
  validate,
  webhookCheckAnswer,
} from '../../src/protocol/index.js';

describe('a failure body', () => {
  it('has a code and a message', () => {
    const body = { code: 40000, message: 'Parameter error', trace: 't' };
    expect(validate(failureBody, body)).toEqual(body);
    expect(() => validate(failureBody, { code: '40000', message: 'x' })).toThrow('code');
    expect(() => validate(failureBody, { code: 40000 })).toThrow('message');
  });

  it.each(Object.entries(PLATFORM_CODES))('is recognised by the code %s', (_name, code) => {
    expect(isFailureBody({ code, message: 'x' })).toBe(true);
  });

  it('has a code of five digits or more', () => {
    expect(isFailureBody({ code: 9_999, message: 'x' })).toBe(false);
    expect(isFailureBody({ code: 10_000, message: 'x' })).toBe(true);
    expect(isFailureBody({ code: 100_000, message: 'x' })).toBe(true);
  });

  it.each([-1, 400, 404, 500, 599])('has a code that cannot mean success: %i', (code) => {
    expect(isFailureBody({ code, message: 'x' })).toBe(true);
  });

  it('needs no message', () => {
    expect(isFailureBody({ code: 50000 })).toBe(true);
  });

  it.each([
    [{ code: 0, message: 'ok' }],
    [{ code: 200, message: 'success' }],
    [{ code: 1, message: 'ok' }],
    [{ code: 399, message: 'ok' }],
    [{ code: 600, message: 'ok' }],
    [{ conversation_id: 'c', timestamp: 1_742_265_090_895 }],
    [{ doc: [], failed: [] }],
    [{ code: '40000' }],
    [{ code: null }],
    [{}],
    [[]],
    [null],
    [undefined],
    ['service is normal'],
    [40000],
  ])('is not recognised in %j', (body) => {
    expect(isFailureBody(body)).toBe(false);
  });
});

describe('the platform codes', () => {
  it('include the documented codes', () => {
    expect(PLATFORM_CODES).toMatchObject({
      PARAMETER_ERROR: 40000,
      INTERNAL_ERROR: 50000,
      AUTHENTICATION_FAILED: 40127,
      BOT_DELETED: 40378,
    });
  });
});

const reply = { conversation_id: 'c', timestamp: 1_742_265_090_895, body: 'Hello, this is Ann.' };
const close = { conversation_id: 'c', timestamp: 1_742_265_090_895 };

describe('a reply', () => {
  it('comes through unchanged', () => {
    expect(validate(agentReply, { ...reply, extra: 1 })).toEqual({ ...reply, extra: 1 });
  });

  it.each(['conversation_id', 'timestamp', 'body'])('needs its %s', (field) => {
    for (const missing of [undefined, null]) {
      expect(() => validate(agentReply, { ...reply, [field]: missing })).toThrow(field);
    }
  });

  it('must not be empty, and the error explains why', () => {
    expect(() => validate(agentReply, { ...reply, body: '' })).toThrow('would show the user nothing');
  });

  it.each([
    [{ conversation_id: '' }],
    [{ conversation_id: 5 }],
    [{ timestamp: -1 }],
    [{ timestamp: 1.5 }],
    [{ timestamp: '1742265090895' }],
    [{ body: ['x'] }],
  ])('is refused with %j', (wrong) => {
    expect(() => validate(agentReply, { ...reply, ...wrong })).toThrow(ValidationError);
  });
});

describe('a close', () => {
  it('comes through unchanged', () => {
    expect(validate(agentClose, close)).toEqual(close);
  });

  it.each(['conversation_id', 'timestamp'])('needs its %s', (field) => {
    expect(() => validate(agentClose, { ...close, [field]: undefined })).toThrow(field);
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
    expect(validate(agentCloseAnswer, close)).toEqual(close);
    expect(() => validate(agentCloseAnswer, { code: 0, message: 'ok' })).toThrow('conversation_id');
  });
});

const result = {
  type: 'human_service',
  component_id: 'h-1',
  component_name: 'Support',
  webhook_url: 'https://developer.example',
  reachable: true,
  http_status: 200,
  latency_ms: 12,
};

const check = (...results: unknown[]) => validate(webhookCheckAnswer, { results }).results;

describe('the answer to a webhook check', () => {
  it('comes through unchanged in the form of the contract', () => {
    const message = { ...result, type: 'message', component_id: null, component_name: null };
    expect(check(message, result)).toEqual([message, result]);
  });

  it('may have no results, but must have the list', () => {
    expect(check()).toEqual([]);
    expect(() => validate(webhookCheckAnswer, {})).toThrow('results');
  });

  it.each([0, null])('has the status %j when the webhook did not answer', (http_status) => {
    expect(check({ ...result, reachable: false, http_status })[0]).toMatchObject({
      reachable: false,
      http_status,
    });
  });

  it('has null for absent fields', () => {
    expect(check({ type: 'message', webhook_url: 'https://a.example', reachable: false })).toEqual([
      {
        type: 'message',
        webhook_url: 'https://a.example',
        reachable: false,
        component_id: null,
        component_name: null,
        http_status: null,
        latency_ms: null,
      },
    ]);
  });

  it('passes on an unknown type', () => {
    expect(check({ ...result, type: 'voice' })[0]?.type).toBe('voice');
  });

  it('reads a latency sent as digits', () => {
    expect(check({ ...result, latency_ms: '12' })[0]?.latency_ms).toBe(12);
  });

  it.each(['type', 'webhook_url', 'reachable'])('is refused when a result lacks %s', (field) => {
    expect(() => check(result, { ...result, [field]: undefined })).toThrow(`results[1].${field}`);
  });
});

describe('health', () => {
  it('has the documented text and recommended timing', () => {
    expect(HEALTHY).toBe('service is normal');
    expect(HEALTH_INTERVAL_MS * 3).toBe(60_000);
    expect(HEALTH_TIMEOUT_MS).toBeGreaterThanOrEqual(3_000);
    expect(HEALTH_TIMEOUT_MS).toBeLessThanOrEqual(5_000);
  });
});
