import { describe, expect, it } from 'vitest';
import type { SignatureVerdict } from '../../../src/bridge/index.js';
import { signRequest } from '../../fixtures/slack/deliver.js';
import { adapterFor, inbound } from './support.js';

const BODY = '{"type":"event_callback"}';
const AT = 1_700_000_000_000;
const genuine = signRequest(BODY, 'application/json', { secret: 'one', at: AT });
const with_ = (headers: Record<string, string>) => ({
  ...genuine,
  headers: { ...genuine.headers, ...headers },
});

describe('signatures of Slack', () => {
  const { verify } = adapterFor({ signingSecret: ['one', 'two'] });

  it.each<[string, ReturnType<typeof signRequest>, number, SignatureVerdict]>([
    ['right', genuine, AT, 'genuine'],
    ['right, by the second secret', signRequest(BODY, 'x/y', { secret: 'two', at: AT }), AT, 'genuine'],
    ['right, almost five minutes old', genuine, AT + 299_000, 'genuine'],
    ['right, older than five minutes', genuine, AT + 301_000, 'stale'],
    ['right, from the future', genuine, AT - 301_000, 'stale'],
    ['by another secret', signRequest(BODY, 'x/y', { secret: 'three', at: AT }), AT, 'forged'],
    ['of another body', { ...genuine, body: `${BODY} ` }, AT, 'forged'],
    ['of another time', with_({ 'x-slack-request-timestamp': '1700000001' }), AT, 'forged'],
    ['of a time that is none', with_({ 'x-slack-request-timestamp': '17e8' }), AT, 'forged'],
    ['without a time', with_({ 'x-slack-request-timestamp': '' }), AT, 'unsigned'],
    ['missing', with_({ 'x-slack-signature': '' }), AT, 'unsigned'],
    ['of another version', with_({ 'x-slack-signature': 'v1=00' }), AT, 'forged'],
    ['cut off', with_({ 'x-slack-signature': 'v0=00' }), AT, 'forged'],
  ])('%s', (_, request, receivedAt, verdict) => {
    expect(verify(inbound(request, receivedAt))).toBe(verdict);
  });

  it('agree with the example that Slack documents', () => {
    // https://docs.slack.dev/authentication/verifying-requests-from-slack
    const adapter = adapterFor({ signingSecret: '8f742231b10e8888abcd99yyyzzz85a5' });
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    expect(adapter.verify(inbound({ headers, body }, 1_531_420_618_000))).toBe('genuine');
  });
});
