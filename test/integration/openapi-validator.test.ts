import { describe, expect, it } from 'vitest';
import { createOpenApiValidator } from './openapi-validator.js';
import type { ProxiedExchange } from './recording-proxy.js';

const { violations } = createOpenApiValidator();
const json = { 'content-type': 'application/json' };

const reply: ProxiedExchange = {
  method: 'POST',
  path: '/v1/human/message/receive',
  headers: { ...json, authorization: 'Bearer key' },
  request: '{"conversation_id":"c-1","timestamp":1,"body":"Hello"}',
  status: 200,
  answerType: 'application/json; charset=utf-8',
  answer: '{"code":200,"message":"success"}',
};
const chat: ProxiedExchange = {
  ...reply,
  path: '/webhook/token/chat',
  headers: json,
};
const health: ProxiedExchange = {
  ...reply,
  method: 'GET',
  path: '/v1/webhook/service/health',
  headers: {},
  request: '',
  answerType: 'text/plain',
  answer: 'service is normal',
};

describe('the validator of openapi.json', () => {
  it.each([
    ['a call', reply],
    ['a webhook', chat],
    ['plain text', health],
  ])('accepts %s that conforms', (_name, exchange) => {
    expect(violations(exchange)).toEqual([]);
  });

  it.each<[string, ProxiedExchange, string]>([
    [
      'a field of the wrong type',
      { ...reply, request: '{"conversation_id":1,"timestamp":1,"body":"x"}' },
      'request: /conversation_id must be string',
    ],
    [
      'a missing field',
      { ...reply, request: '{"conversation_id":"c-1","timestamp":1}' },
      "request: body must have required property 'body'",
    ],
    ['a request that is not JSON', { ...reply, request: '{' }, 'request: not JSON'],
    ['an unexpected body', { ...health, request: '{}' }, 'request: a body where none is described'],
    ['a missing key', { ...reply, headers: json }, 'request: no key in Authorization: Bearer'],
    [
      'an unexpected key',
      { ...health, headers: { authorization: 'Bearer key' } },
      'request: a key where none is required',
    ],
    [
      'a wrong answer',
      { ...reply, answer: '{"code":"200","message":"success"}' },
      'answer 200: /code must be integer',
    ],
    [
      'a wrong failure',
      { ...reply, status: 401, answer: '{"code":40127}' },
      "answer 401: body must have required property 'message'",
    ],
    [
      'an answer of another content type',
      { ...reply, status: 429, answerType: 'text/plain', answer: 'no' },
      'answer 429: the content type text/plain is not described',
    ],
    ['an undocumented status', { ...reply, status: 302 }, 'answer 302: this status is not described'],
    ['a wrong text', { ...health, answer: 'fine' }, 'answer 200: body must be equal to constant'],
    [
      'a webhook with a wrong body',
      { ...chat, request: '{"conversation_id":"c-1","timestamp":1,"body":7}' },
      'request: /body must be string,null',
    ],
    [
      'a webhook with a wrong answer',
      { ...chat, answer: '{"code":200,"msg":"success"}' },
      "answer 200: body must have required property 'message'",
    ],
    ['an unknown endpoint', { ...reply, path: '/v1/nothing' }, 'not described'],
    ['a wrong method', { ...reply, method: 'PUT' }, 'not described'],
  ])('reports %s', (_name, exchange, problem) => {
    expect(violations(exchange)).toEqual([`${exchange.method} ${exchange.path}: ${problem}`]);
  });
});
