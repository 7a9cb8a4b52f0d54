import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adapterFor, call, withFake } from './support.js';

const bad = async (adapter: { check: ReturnType<typeof adapterFor>['check'] }) =>
  (await adapter.check(call)).filter(({ ok }) => !ok);

describe('the check', () => {
  it('is content with an app that is set up, and writes nothing', async () => {
    const { fake, adapter } = await withFake();
    const results = await adapter.check(call);
    expect(results.map(({ name, ok }) => [name, ok])).toEqual([
      ['credentials', true],
      ['channel', true],
      ['scopes', true],
      ['signing secret', true],
      ['clock', true],
    ]);
    expect(results[0]?.detail).toContain('Fake Team');
    expect(fake.workspace.messages).toEqual([]);
    expect(JSON.stringify(results)).not.toContain(fake.token);
    expect(JSON.stringify(results)).not.toContain(fake.signingSecret);
  });

  it('tells of a wrong token, and asks no further', async () => {
    const { fake, adapter } = await withFake({}, { botToken: 'xoxb-wrong' });
    expect(await bad(adapter)).toMatchObject([{ name: 'credentials' }]);
    expect(fake.calls).toHaveLength(1);
  });

  it.each([
    ['that the app is not in', { member: false }, '/invite'],
    ['that is archived', { archived: true }, 'archived'],
    ['that is private, without the app', { private: true, member: false }, 'private'],
  ])('tells of a channel %s', async (_, state, words) => {
    const { fake, adapter } = await withFake();
    Object.assign(fake.workspace.channel, state);
    expect(await bad(adapter)).toMatchObject([{ name: 'channel', detail: expect.stringContaining(words) }]);
  });

  it('tells of scopes that are missing, by the kind of channel', async () => {
    const { fake, adapter } = await withFake();
    fake.scopes.delete('channels:history');
    expect(await bad(adapter)).toMatchObject([
      { name: 'scopes', detail: expect.stringContaining('channels:history') },
    ]);
    fake.workspace.channel.private = true;
    expect(await bad(adapter)).toEqual([]);
    fake.scopes.delete('chat:write');
    expect(await bad(adapter)).toMatchObject([{ detail: expect.stringContaining('chat:write') }]);
  });

  it('mentions that others share the channel', async () => {
    const { fake, adapter } = await withFake();
    fake.workspace.channel.shared = true;
    expect(JSON.stringify(await adapter.check(call))).toContain('shared with another company');
  });

  it('tells of a clock that is off', async () => {
    const server = createServer((_, response) => {
      response.setHeader('date', new Date(Date.now() - 400_000).toUTCString());
      response.end(JSON.stringify({ ok: true, channel: { is_member: true } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await bad(adapterFor({ apiUrl: `http://127.0.0.1:${port}` }))).toMatchObject([
      { name: 'clock', detail: expect.stringMatching(/by (399|400|401) s/) },
    ]);
  });

  it('tells that Slack is out of reach', async () => {
    const { fake, adapter } = await withFake();
    await fake.stop();
    expect(await bad(adapter)).toMatchObject([
      { name: 'credentials', detail: expect.stringContaining('did not answer') },
    ]);
  });
});
