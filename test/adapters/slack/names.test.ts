import { afterEach, describe, expect, it, vi } from 'vitest';
import { IDS } from '../../fixtures/slack/workspace.js';
import { call, errorOf, withFake } from './support.js';

const HOUR = 3_600_000;

/** An adapter of a fake Slack, whose names can be asked for. */
async function withNames() {
  const { fake, adapter } = await withFake();
  const agentName = async (id: string = IDS.agent) => adapter.agentName?.(id, call);
  const asked = () => fake.calls.filter(({ method }) => method === 'users.info').map(({ args }) => args.user);
  return { fake, agentName, asked };
}

describe('names of agents', () => {
  afterEach(() => void vi.useRealTimers());

  it('are those that Slack shows, and asked for again after some hours', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { agentName, asked } = await withNames();
    expect([await agentName(), await agentName()]).toEqual(['Ann', 'Ann']);
    expect(asked()).toEqual([IDS.agent]);
    vi.setSystemTime(Date.now() + 7 * HOUR);
    expect(await agentName()).toBe('Ann');
    expect(asked()).toHaveLength(2);
  });

  it('are kept for a limited number of agents', async () => {
    const { agentName, asked } = await withNames();
    for (let number = 0; number <= 1_000; number += 1) await agentName(`U${number}`);
    await agentName('U1000');
    expect(asked()).toHaveLength(1_001);
    await agentName('U0');
    expect(asked().at(-1)).toBe('U0');
    expect(asked()).toHaveLength(1_002);
  });

  it('are missing without the scope, which is not asked for again at once', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { fake, agentName, asked } = await withNames();
    fake.scopes.delete('users:read');
    expect([await agentName(), await agentName()]).toEqual([null, null]);
    expect(asked()).toHaveLength(1);
    fake.scopes.add('users:read');
    vi.setSystemTime(Date.now() + HOUR);
    expect(await agentName()).toBe('Ann');
  });

  it('are asked for again after a failure that passes', async () => {
    const { fake, agentName } = await withNames();
    fake.fail('users.info', { kind: 'status', status: 500 });
    expect(await errorOf(agentName())).toMatchObject({ kind: 'transient' });
    expect(await agentName()).toBe('Ann');
  });
});
