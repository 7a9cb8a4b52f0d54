import { describe, expect, it } from 'vitest';
import { AdapterError } from '../../../src/bridge/index.js';
import { envelope } from '../../fixtures/slack/fake-slack.js';
import { typedMessage } from '../../fixtures/slack/typed-text.js';
import { IDS, type SlackEvent } from '../../fixtures/slack/workspace.js';
import { adapterFor, messageRequest, request, THREAD } from './support.js';

const { parse } = adapterFor();

describe('messages of the Events API', () => {
  it.each<[string, Partial<SlackEvent>, string, readonly object[]]>([
    [
      'a forwarded message',
      {
        text: '',
        attachments: [
          {
            is_share: true,
            is_msg_unfurl: true,
            text: 'Psst',
            from_url: 'https://x.slack.com/archives/C1/p1',
          },
        ],
      },
      '',
      [{ name: 'forwarded message', contentType: null, url: null }],
    ],
    [
      'a forwarded message with a word',
      { text: 'See this', attachments: [{ is_share: true, text: 'Psst' }] },
      'See this',
      [{ name: 'forwarded message', contentType: null, url: null }],
    ],
    [
      'a picture',
      { text: '', attachments: [{ title: 'cat', image_url: 'https://gif.example/cat.gif' }] },
      '',
      [{ name: 'cat', contentType: null, url: 'https://gif.example/cat.gif' }],
    ],
    [
      'a page of the workspace',
      { text: '', attachments: [{ title_link: 'https://x.slack.com/lists/1' }] },
      '',
      [{ name: 'attachment', contentType: null, url: null }],
    ],
  ])('leave a word about %s', (_, event, text, attachments) => {
    const events = parse(messageRequest(event)).events;
    expect(events).toMatchObject([{ kind: 'message', text, internal: false, attachments }]);
    expect(JSON.stringify(events)).not.toContain('Psst');
  });

  it('leave out the preview of a link', () => {
    const preview = { title: 'A page', title_link: 'https://a.example/1', from_url: 'https://a.example/1' };
    const [event] = parse(
      messageRequest({ text: 'See <https://a.example/1>', attachments: [preview] }),
    ).events;
    expect(event).not.toHaveProperty('attachments');
  });

  it('keep a forwarded message with a note from the user', () => {
    const event = { text: '// see', attachments: [{ is_share: true }] };
    expect(parse(messageRequest(event)).events).toMatchObject([{ internal: true }]);
  });

  it('are replies of agents in a thread', () => {
    expect(parse(messageRequest({ text: 'Hello' }))).toEqual({
      events: [
        {
          kind: 'message',
          id: `${IDS.channel}:1700000005.000200`,
          externalId: THREAD,
          author: { kind: 'agent', name: null, id: IDS.agent },
          text: 'Hello',
          internal: false,
          messageId: '1700000005.000200',
        },
      ],
    });
  });

  it('keep their id when Slack delivers them again', () => {
    const idOf = (event: Parameters<typeof messageRequest>[0]) => parse(messageRequest(event)).events[0]?.id;
    expect(idOf({})).toBe(idOf({}));
    expect(idOf({})).not.toBe(idOf({ ts: '1700000005.000201' }));
  });

  it.each([
    ['our own, by its app', { bot_id: IDS.bot, app_id: IDS.app }, 'self'],
    ['our own, by the profile of its bot', { bot_id: IDS.bot, bot_profile: { app_id: IDS.app } }, 'self'],
    ['our own, by its user', { user: IDS.botUser }, 'self'],
    ['of another app', { bot_id: 'B0OTHER', app_id: 'A0OTHER' }, 'system'],
    ['of an old integration', { subtype: 'bot_message', bot_id: 'B0OTHER', user: undefined }, 'system'],
    ['of Slackbot', { user: 'USLACKBOT' }, 'system'],
    ['without a user', { user: undefined }, 'system'],
  ])('have the right author: %s', (_, event, kind) => {
    expect(parse(messageRequest(event)).events).toMatchObject([{ kind: 'message', author: { kind } }]);
  });

  it.each([
    ['in no thread', { thread_ts: undefined }],
    ['first in a thread', { thread_ts: '1700000005.000200' }],
    ['in another channel', { channel: 'C0OTHER' }],
    ['of an edit', { subtype: 'message_changed', message: { text: 'x' } }],
    ['of a deletion', { subtype: 'message_deleted', deleted_ts: '1700000004.000200' }],
    ['of a new member', { subtype: 'channel_join' }],
    ['of an unknown subtype', { subtype: 'something_new' }],
    ['without text', { text: '' }],
    ['of another event type', { type: 'reaction_added' }],
    ['with an invalid timestamp', { ts: 'now' }],
  ])('are ignored: %s', (_, event) => {
    expect(parse(messageRequest(event))).toEqual({ events: [] });
  });

  it('count when they are also sent to the channel', () => {
    expect(parse(messageRequest({ subtype: 'thread_broadcast' })).events).toHaveLength(1);
  });

  it.each([
    ['with the prefix', { text: '// is this the third time?' }, true],
    ['with the prefix after spaces', { text: '  //is it?' }, true],
    ['with the prefix in bold', { text: '*// is it?*', blocks: bold('// is it?') }, true],
    ['with the prefix within', { text: 'see https://x.example' }, false],
    ['to a colleague', { text: '<@U0COLLEAGUE> can you look?' }, true],
    ['to all members', { text: '<!here> who knows this?' }, true],
    ['to a group', { text: '<!subteam^S1|@second-level> please' }, true],
    ['to the app and a colleague', { text: `<@${IDS.botUser}> <@U0COLLEAGUE> look` }, true],
    ['to the app', { text: `<@${IDS.botUser}> we look into it` }, false],
    ['that names a colleague later', { text: 'Ask <@U0COLLEAGUE>' }, false],
  ])('are internal or not: %s', (_, event, internal) => {
    expect(parse(messageRequest(event)).events).toMatchObject([{ internal }]);
  });

  it('are internal with another prefix, which Slack may escape', () => {
    const { events } = adapterFor({ insidePrefix: '>>' }).parse(messageRequest({ text: '&gt;&gt; hm' }));
    expect(events).toMatchObject([{ internal: true }]);
  });

  it('name their files, with a link only when the file is public', () => {
    const files = [
      { name: 'a.pdf', url_private: 'https://files.slack.com/a', permalink: 'https://t.slack.com/a' },
      {
        name: 'b.png',
        mimetype: 'image/png',
        public_url_shared: true,
        permalink_public: 'https://slack-files.com/b',
      },
      { mode: 'tombstone' },
    ];
    const [event] = parse(messageRequest({ subtype: 'file_share', text: 'See', files })).events;
    expect(event).toMatchObject({
      text: 'See',
      attachments: [
        { name: 'a.pdf', contentType: null, url: null },
        { name: 'b.png', contentType: 'image/png', url: 'https://slack-files.com/b' },
        { name: 'file', contentType: null, url: null },
      ],
    });
  });

  it('keep the text as typed', () => {
    const words = 'a & b <c> "d" 日本語 שלום 👋🏼 ❤️ https://x.example/?a=1&b=2 end';
    expect(parse(messageRequest({ ...typedMessage(words) })).events).toMatchObject([{ text: words }]);
  });
});

describe('other requests of Slack', () => {
  it('get their challenge as response', () => {
    const body = JSON.stringify({ token: 't', challenge: '3eZbrw1aB<&', type: 'url_verification' });
    expect(parse(request(body))).toEqual({
      events: [],
      response: { contentType: 'text/plain; charset=utf-8', body: '3eZbrw1aB<&' },
    });
  });

  it.each([
    ['of another type', { type: 'app_rate_limited', minute_rate_limited: 1 }],
    ['of an event without content', envelope(null as never, 'Ev1')],
    ['of an empty object', {}],
  ])('have no events: %s', (_, body) => {
    expect(parse(request(JSON.stringify(body)))).toEqual({ events: [] });
  });

  it.each([
    ['an empty body', ''],
    ['broken JSON', '{"type":'],
    ['a list', '[]'],
    ['a form without payload', 'ssl_check=1&token=x'],
    ['a form with a broken payload', 'payload=%7B'],
    ['a form whose payload is no object', 'payload=1'],
    ['a challenge that is no text', '{"type":"url_verification","challenge":{}}'],
  ])('are rejected as invalid: %s', (_, body) => {
    expect(() => parse(request(body))).toThrow(AdapterError);
    expect(() => parse(request(body))).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });
});

function bold(text: string): unknown[] {
  const element = { type: 'text', text, style: { bold: true } };
  return [{ type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [element] }] }];
}
