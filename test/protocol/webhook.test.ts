import { describe, expect, it } from 'vitest';
import {
  HEALTH_INTERVAL_MS,
  HEALTH_TIMEOUT_MS,
  HEALTHY,
  validate,
  webhookCheckAnswer,
} from '../../src/protocol/index.js';

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

  it('may be empty, not absent', () => {
    expect(check()).toEqual([]);
    expect(() => validate(webhookCheckAnswer, {})).toThrow('results');
  });

  it.each([0, null])('has the status %j when nobody answered', (http_status) => {
    expect(check({ ...result, reachable: false, http_status })[0]).toMatchObject({
      reachable: false,
      http_status,
    });
  });

  it('has null for what was left out', () => {
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

  it('passes new types on', () => {
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
  it('is asked for as the contract recommends', () => {
    expect(HEALTHY).toBe('service is normal');
    expect(HEALTH_INTERVAL_MS * 3).toBe(60_000);
    expect(HEALTH_TIMEOUT_MS).toBeGreaterThanOrEqual(3_000);
    expect(HEALTH_TIMEOUT_MS).toBeLessThanOrEqual(5_000);
  });
});
