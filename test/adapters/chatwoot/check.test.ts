import { describe, expect, it } from 'vitest';
import { FAKE_HMAC_TOKEN, FAKE_INBOX, FAKE_SECRET } from '../../fixtures/chatwoot/fake-chatwoot.js';
import { call, createAdapter, startChatwoot } from './support.js';

/** The results of `check`, by name. */
const outcomes = async (adapter: ReturnType<typeof createAdapter>) =>
  Object.fromEntries((await adapter.check(call)).map(({ name, ok }) => [name, ok]));

describe('check', () => {
  it('accepts a correct setup, and creates nothing in Chatwoot', async () => {
    const { adapter, account } = await startChatwoot({}, { hmacToken: FAKE_HMAC_TOKEN });
    expect(await outcomes(adapter)).toEqual({
      address: true,
      inbox: true,
      'identity validation': true,
      'webhook secret': true,
      clock: true,
    });
    expect(account.contacts).toEqual([]);
  });

  it.each<[string, boolean, string | undefined, boolean]>([
    ['not enforced, no key', false, undefined, true],
    ['enforced, no key', true, undefined, false],
    ['enforced, a wrong key', true, 'wrong', false],
    ['not enforced, a wrong key', false, 'wrong', false],
    ['enforced, the right key', true, FAKE_HMAC_TOKEN, true],
  ])('checks identity validation: %s', async (_, hmacMandatory, key, ok) => {
    const settings = key === undefined ? {} : { hmacToken: key };
    const { adapter } = await startChatwoot({ hmacMandatory }, settings);
    expect(await outcomes(adapter)).toMatchObject({ 'identity validation': ok });
  });

  it('tells a wrong inbox from a wrong address', async () => {
    const { adapter } = await startChatwoot({}, { inbox: 'another' });
    expect(await outcomes(adapter)).toMatchObject({ address: true, inbox: false });
    expect(await outcomes(createAdapter())).toMatchObject({ address: false });
  });

  it('does not take another server for Chatwoot', async () => {
    const { adapter, proxy } = await startChatwoot();
    proxy.answer({ status: 200, body: '<html>Welcome</html>' });
    expect(await outcomes(adapter)).toMatchObject({ address: false });
  });

  it.each([
    [-10, true],
    [-200, false],
    [200, false],
  ])('checks a clock that is %i s off', async (seconds, ok) => {
    const { adapter, proxy } = await startChatwoot();
    const body = JSON.stringify({ identifier: FAKE_INBOX, name: 'Assistant' });
    const date = new Date(Date.now() + seconds * 1000).toUTCString();
    proxy.answer({ status: 200, headers: { date }, body });
    expect(await outcomes(adapter)).toMatchObject({ clock: ok });
  });

  it('contains no secrets', async () => {
    const { adapter } = await startChatwoot({ hmacMandatory: true }, { hmacToken: 'a wrong key' });
    const told = JSON.stringify(await adapter.check(call));
    for (const secret of [FAKE_INBOX, FAKE_SECRET, 'a wrong key']) expect(told).not.toContain(secret);
  });
});
