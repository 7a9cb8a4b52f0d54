import { afterEach, describe, expect, it, vi } from 'vitest';
import { CALL } from '../../fixtures/adapter-session.js';
import { FAKE, refusal } from '../../fixtures/lark/fake-lark.js';
import { messageRequest, setUp, webhookAdapter } from './support.js';

const HOUR = 3_600_000;

async function withNames() {
  const { fake, adapter } = await setUp();
  const agentName = async (id: string = FAKE.agent) => adapter.agentName?.(id, CALL);
  const asked = () => fake.requests.filter(({ path }) => path.includes('/contact/v3/users/')).length;
  return { fake, agentName, asked };
}

describe('names of agents', () => {
  afterEach(() => void vi.useRealTimers());

  it('are asked for by the ids of events, except those of the settings', () => {
    const authorOf = (names: Record<string, string>) =>
      webhookAdapter({ names }).parse(messageRequest({})).events[0]?.author;
    expect(authorOf({})).toEqual({ kind: 'agent', name: null, id: FAKE.agent });
    expect(authorOf({ [FAKE.agent]: 'Annie' })).toEqual({ kind: 'agent', name: 'Annie' });
  });

  it('are those of Lark, and asked for again after some hours', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { agentName, asked } = await withNames();
    expect([await agentName(), await agentName()]).toEqual(['Ann', 'Ann']);
    expect(asked()).toBe(1);
    vi.setSystemTime(Date.now() + 7 * HOUR);
    expect(await agentName()).toBe('Ann');
    expect(asked()).toBe(2);
  });

  it.each([
    ['without the permission', 99991672],
    ['of people whom the app may not see', 41050],
  ])('are missing %s, which is not asked for again at once', async (_what, code) => {
    const { fake, agentName, asked } = await withNames();
    fake.nextAnswers.push(refusal(code));
    expect([await agentName(), await agentName()]).toEqual([null, null]);
    expect(asked()).toBe(1);
  });

  it('are asked for again after a failure that passes', async () => {
    const { fake, agentName } = await withNames();
    fake.nextAnswers.push({ status: 500, json: {} });
    await expect(agentName()).rejects.toMatchObject({ kind: 'transient' });
    expect(await agentName()).toBe('Ann');
  });
});
