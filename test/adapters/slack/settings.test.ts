import { describe, expect, it } from 'vitest';
import { type SlackSettings, slack } from '../../../src/adapters/slack/index.js';
import { SETTINGS } from './support.js';

describe('settings', () => {
  it.each<[string, Partial<SlackSettings>, string]>([
    ['no token', { botToken: '' }, 'botToken'],
    ['a token of a person', { botToken: 'xoxp-secret-1' }, 'botToken'],
    ['a token of the app', { botToken: 'xapp-secret-1' }, 'botToken'],
    ['no signing secret', { signingSecret: '' }, 'signingSecret'],
    ['no signing secrets', { signingSecret: [] }, 'signingSecret'],
    ['an empty one among several', { signingSecret: ['a', ' '] }, 'signingSecret'],
    ['the name of a channel', { channel: '#support' }, 'channel'],
    ['the id of a person', { channel: 'U0123456789' }, 'channel'],
    ['a close word of two words', { closeWords: ['bye bye'] }, 'closeWords'],
    ['an empty close word', { closeWords: [''] }, 'closeWords'],
    ['an empty prefix', { insidePrefix: ' ' }, 'insidePrefix'],
    ['an address that is none', { teamUrl: 'example.slack.com' }, 'teamUrl'],
    ['an API address that is none', { apiUrl: 'slack' }, 'Slack: the address'],
  ])('are refused when invalid: %s', (_, wrong, name) => {
    const make = () => slack({ ...SETTINGS, ...wrong });
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(make).toThrow(name);
    expect(make).not.toThrow(/secret-1/);
  });

  it('are accepted when valid', () => {
    expect(slack(SETTINGS)).toMatchObject({
      name: 'slack',
      capabilities: { inbound: ['webhook'], nativeClose: false, messageIds: true },
    });
    expect(slack({ ...SETTINGS, signingSecret: ['new', 'old'], closeWords: [] }).name).toBe('slack');
  });
});
