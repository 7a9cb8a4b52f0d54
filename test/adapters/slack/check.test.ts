import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adapterFor, call, withFake } from './support.js';

const failures = async (adapter: { check: ReturnType<typeof adapterFor>['check'] }) =>
  (await adapter.check(call)).filter(({ ok }) => !ok);

describe('the check', () => {
  it('accepts a correct setup, and writes nothing', async () => {
    const { fake, adapter } = await withFake();
    const results = await adapter.check(call);
    expect(results.map(({ name, ok }) => [name, ok])).toEqual([
      ['credentials', true],
      ['channel', true],
      ['scopes', true],
      ['names', true],
      ['signing secret', true],
      ['clock', true],
    ]);
    expect(results[0]?.detail).toContain('Fake Team');
    expect(fake.workspace.messages).toEqual([]);
    expect(JSON.stringify(results)).not.toContain(fake.token);
    expect(JSON.stringify(results)).not.toContain(fake.signingSecret);
  });

  it('reports a wrong token, and stops there', async () => {
    const { fake, adapter } = await withFake({}, { botToken: 'xoxb-wrong' });
    expect(await failures(adapter)).toMatchObject([{ name: 'credentials' }]);
    expect(fake.calls).toHaveLength(1);
  });

  it.each([
    ['that the app is not in', { member: false }, '/invite'],
    ['that is archived', { archived: true }, 'archived'],
    ['that is private, without the app', { private: true, member: false }, 'private'],
  ])('reports a channel %s', async (_, state, words) => {
    const { fake, adapter } = await withFake();
    Object.assign(fake.workspace.channel, state);
    expect(await failures(adapter)).toMatchObject([
      { name: 'channel', detail: expect.stringContaining(words) },
    ]);
  });

  it('reports missing scopes, by the kind of channel', async () => {
    const { fake, adapter } = await withFake();
    fake.scopes.delete('channels:history');
    expect(await failures(adapter)).toMatchObject([
      { name: 'scopes', detail: expect.stringContaining('channels:history') },
    ]);
    fake.workspace.channel.private = true;
    expect(await failures(adapter)).toEqual([]);
    fake.scopes.delete('chat:write');
    expect(await failures(adapter)).toMatchObject([{ detail: expect.stringContaining('chat:write') }]);
  });

  it('says that agents have no names without users:read, which replies do not need', async () => {
    const { fake, adapter } = await withFake();
    fake.scopes.delete('users:read');
    expect(await failures(adapter)).toEqual([]);
    expect(await adapter.check(call)).toContainEqual({
      name: 'names',
      ok: true,
      detail: expect.stringMatching(/^agents have no names for users: add users:read/),
    });
  });

  it('mentions that the channel is shared with another company', async () => {
    const { fake, adapter } = await withFake();
    fake.workspace.channel.shared = true;
    expect(JSON.stringify(await adapter.check(call))).toContain('shared with another company');
  });

  it('reports a clock that is off', async () => {
    const server = createServer((_, response) => {
      response.setHeader('date', new Date(Date.now() - 400_000).toUTCString());
      response.end(JSON.stringify({ ok: true, channel: { is_member: true } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await failures(adapterFor({ apiUrl: `http://127.0.0.1:${port}` }))).toMatchObject([
      { name: 'clock', detail: expect.stringMatching(/by (399|400|401) s/) },
    ]);
  });

  it('reports that Slack is unreachable', async () => {
    const { fake, adapter } = await withFake();
    await fake.stop();
    expect(await failures(adapter)).toMatchObject([
      { name: 'credentials', detail: expect.stringContaining('did not answer') },
    ]);
  });
});
