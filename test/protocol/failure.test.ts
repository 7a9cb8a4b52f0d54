import { describe, expect, it } from 'vitest';
import { failureBody, isFailureBody, SERVICE_CODES, validate } from '../../src/protocol/index.js';

describe('a failure', () => {
  it('has a code and a message', () => {
    const body = { code: 40000, message: 'Parameter error', trace: 't' };
    expect(validate(failureBody, body)).toEqual(body);
    expect(() => validate(failureBody, { code: '40000', message: 'x' })).toThrow('code');
    expect(() => validate(failureBody, { code: 40000 })).toThrow('message');
  });

  it.each(Object.entries(SERVICE_CODES))('is told by the code of %s', (_name, code) => {
    expect(isFailureBody({ code, message: 'x' })).toBe(true);
  });

  it('is told by five digits or more', () => {
    expect(isFailureBody({ code: 9_999, message: 'x' })).toBe(false);
    expect(isFailureBody({ code: 10_000, message: 'x' })).toBe(true);
    expect(isFailureBody({ code: 100_000, message: 'x' })).toBe(true);
  });

  it('is told by the code alone, with or without a message', () => {
    expect(isFailureBody({ code: 50000 })).toBe(true);
  });

  it.each([
    [{ code: 0, message: 'ok' }],
    [{ code: 200, message: 'success' }],
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
  ])('is not %j', (body) => {
    expect(isFailureBody(body)).toBe(false);
  });
});

describe('the codes', () => {
  it('are those of the contract', () => {
    expect(SERVICE_CODES).toMatchObject({
      PARAMETER_ERROR: 40000,
      INTERNAL_ERROR: 50000,
      AUTHENTICATION_FAILED: 40127,
      AGENT_DELETED: 40378,
    });
  });
});
