import { describe, expect, it } from 'vitest';
import { type RequestTrackerSettings, requestTracker } from '../../../src/adapters/request-tracker/index.js';

const settings: RequestTrackerSettings = {
  url: 'https://rt.example.com',
  token: `1-31-${'a'.repeat(32)}`,
  queue: 'Handoffs',
};

describe('the settings of the adapter', () => {
  it('require only address, token and queue', () => {
    const { name, capabilities } = requestTracker(settings);
    expect(name).toBe('request-tracker');
    expect(capabilities).toMatchObject({ inbound: ['poll'], pollEveryMs: 5_000, messageIds: true });
  });

  it('poll less often with a webhook secret', () => {
    const { capabilities } = requestTracker({ ...settings, webhookSecret: 'a long enough secret' });
    expect(capabilities).toMatchObject({ inbound: ['webhook', 'poll'], pollEveryMs: 10_000 });
  });

  it.each([
    { url: 'rt.example.com' },
    { url: 'https://user:word@rt.example.com' },
    { token: 'a password instead of a token' },
    { queue: ' ' },
    { webhookSecret: 'too short' },
    { webhookSecret: ['a long enough secret', ''] },
    { pollEveryMs: 0 },
    { timeoutMs: 1.5 },
  ])('are refused when invalid: %j', (changes) => {
    const make = () => requestTracker({ ...settings, ...changes });
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(make).not.toThrow(/instead of|too short|user:word/);
  });
});
