import { describe, expect, it } from 'vitest';
import { FAKE } from '../../fixtures/lark/fake-lark.js';
import { eventRequest, eventsOfText, messageRequest, ROOT, webhookAdapter } from './support.js';

const BEN = { key: '@_user_1', id: { open_id: FAKE.colleague }, name: 'Ben' };
const BOT = { key: '@_user_2', id: { open_id: FAKE.bot }, name: 'Handoff' };

/** The events of a message with a content of a type. */
const eventsOf = (message_type: string, content: object, mentions: readonly object[] = []) =>
  webhookAdapter().parse(messageRequest({ message_type, content: JSON.stringify(content), mentions })).events;

/** What users see of a text; `null` for a note. */
function shown(text: string, mentions: readonly object[] = []): string | null {
  const [event] = eventsOfText(text, mentions);
  return event?.kind === 'message' && !event.internal ? event.text : null;
}

describe('a message in a thread', () => {
  it('is reported with its author and the first message of the thread', () => {
    expect(eventsOfText('On its way')).toEqual([
      {
        kind: 'message',
        id: 'om_1',
        externalId: ROOT,
        author: { kind: 'agent', name: 'Ann' },
        text: 'On its way',
        internal: false,
        messageId: 'om_1',
      },
    ]);
  });

  it('has no name when the agent is not listed', () => {
    const [event] = eventsOfText('Hello', [], { names: {} });
    expect(event?.author).toEqual({ kind: 'agent', name: null, id: FAKE.agent });
  });

  it.each([
    ['in another chat', { chat_id: 'oc_other' }],
    ['outside threads', { root_id: '', thread_id: '' }],
    ['of the system', { message_type: 'system', content: '{"template":"{from_user} invited"}' }],
    ['without text', { content: '{"text":"  "}' }],
    ['whose content is no JSON', { content: 'text' }],
  ])('%s is not reported', (_which, message) => {
    expect(webhookAdapter().parse(messageRequest(message)).events).toEqual([]);
  });

  it('that quotes the card in the chat itself is meant for colleagues', () => {
    const content = JSON.stringify({ text: 'I take this !close' });
    const { events } = webhookAdapter().parse(messageRequest({ thread_id: '', content }));
    expect(events).toEqual([expect.objectContaining({ kind: 'message', internal: true })]);
  });

  it.each([
    ['self', { sender_id: { open_id: FAKE.bot }, sender_type: 'bot' }],
    ['system', { sender_id: { open_id: 'ou_other' }, sender_type: 'bot' }],
    ['system', { sender_id: null, sender_type: 'anonymous' }],
  ])('of a bot has an author of kind %s, and does not close', (kind, sender) => {
    const content = JSON.stringify({ text: 'Done. !close' });
    const { events } = webhookAdapter().parse(messageRequest({ content }, sender));
    expect(events).toMatchObject([{ kind: 'message', author: { kind } }]);
  });

  it('of an unknown form is an error, other events are ignored', () => {
    const { parse } = webhookAdapter();
    expect(() => parse(eventRequest('im.message.receive_v1', { message: {} }))).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
    const recalled = eventRequest('im.message.recalled_v1', { message_id: 'om_1', chat_id: FAKE.chat });
    expect(parse(recalled).events).toEqual([]);
  });
});

describe('commands', () => {
  it.each(['// ask Ben first', '／／ ask Ben first', '  //x', '/／ x'])('%j is a note', (text) => {
    expect(eventsOfText(text)).toEqual([expect.objectContaining({ internal: true, text: text.trim() })]);
  });

  it.each([
    ['Bye. !close', 'Bye.'],
    ['再见！close', '再见'],
    ['Bye ！ＣＬＯＳＥ', 'Bye'],
    ['Bye!\n!Close。', 'Bye!'],
  ])('%j closes, after %j', (text, before) => {
    expect(eventsOfText(text)).toEqual([
      expect.objectContaining({ kind: 'message', id: 'om_1', text: before, internal: false }),
      expect.objectContaining({ kind: 'closed', id: 'om_1:close', externalId: ROOT }),
    ]);
  });

  it('a word alone closes without a message, and a note never closes', () => {
    expect(eventsOfText('！close')).toEqual([expect.objectContaining({ kind: 'closed' })]);
    expect(eventsOfText('// then !close')).toEqual([expect.objectContaining({ kind: 'message' })]);
  });

  it('can be chosen', () => {
    const settings = { closeWords: ['结束'], insidePrefix: '#' };
    expect(eventsOfText('再见 结束', [], settings)).toMatchObject([{ text: '再见' }, { kind: 'closed' }]);
    expect(eventsOfText('# hm', [], settings)).toMatchObject([{ internal: true }]);
    expect(eventsOfText('Bye !close', [], settings)).toMatchObject([{ text: 'Bye !close' }]);
  });
});

describe('mentions', () => {
  it('are shown by the names of their entities', () => {
    expect(shown('Ask @_user_1 please', [BEN])).toBe('Ask @Ben please');
    expect(shown('Ask @_user_1 please', [{ ...BEN, id: { open_id: FAKE.agent } }])).toBe('Ask @Ann please');
    expect(shown('Ask @_user_1 please', [{ ...BEN, name: '' }])).toBe('Ask @colleague please');
  });

  it('are entities, and not what looks like one', () => {
    expect(shown('The key is @_user_1', [])).toBe('The key is @_user_1');
    expect(shown('Ask @_user_1 or @_user_10', [BEN])).toBe('Ask @Ben or @_user_10');
    const ten = { ...BEN, key: '@_user_10', name: 'Joe' };
    expect(shown('Ask @_user_10 or @_user_1', [BEN, ten])).toBe('Ask @Joe or @Ben');
  });

  it('of a colleague or of all at the start make a note', () => {
    expect(shown('@_user_1 do you know?', [BEN])).toBeNull();
    expect(shown('@_user_2 @_user_1 do you know?', [BEN, BOT])).toBeNull();
    // Lark may leave this one out of the entities.
    expect(shown('@_all do you know?')).toBeNull();
    expect(shown('Hello @_all')).toBe('Hello @all');
  });

  it('of the bot are removed, those of other bots make a note', () => {
    expect(shown('@_user_2 It is on its way', [BOT])).toBe('It is on its way');
    expect(shown('@_user_2 // internal', [BOT])).toBeNull();
    expect(shown('@_user_2 summarise this', [{ ...BOT, id: { open_id: 'ou_other' } }])).toBeNull();
  });
});

describe('rich texts', () => {
  it('become plain text', () => {
    const content = {
      title: 'Your parcel',
      content: [
        [
          { tag: 'text', text: 'Track it ', style: ['bold'] },
          { tag: 'a', text: 'here', href: 'https://example.com/t' },
          { tag: 'text', text: ' or ' },
          { tag: 'a', text: 'example.com', href: 'https://example.com/' },
        ],
        [
          { tag: 'at', user_id: '@_user_1', user_name: 'Ben' },
          { tag: 'text', text: ' knows ' },
        ],
        [
          { tag: 'at', user_id: FAKE.colleague },
          { tag: 'emotion', emoji_type: 'SMILE' },
        ],
        [{ tag: 'hr' }],
        [{ tag: 'code_block', language: 'GO', text: 'x := 1' }],
      ],
    };
    const text = [
      'Your parcel',
      'Track it here (https://example.com/t) or https://example.com/',
      '@Ben knows ',
      '@Ben[SMILE]',
      '---',
      'x := 1',
    ].join('\n');
    expect(eventsOf('post', content, [BEN])).toMatchObject([{ text, internal: false }]);
    expect(eventsOf('post', { zh_cn: content }, [BEN])).toMatchObject([{ text }]);
  });

  it('can be notes, close, and have images', () => {
    const post = (...content: object[][]) => ({ title: '', content });
    const at = { tag: 'at', user_id: '@_user_1' };
    expect(eventsOf('post', post([at, { tag: 'text', text: ' look' }]), [BEN])).toMatchObject([
      { internal: true },
    ]);
    expect(eventsOf('post', post([{ tag: 'at', user_id: 'all' }]))).toMatchObject([
      { text: '@all', internal: true },
    ]);
    const unknown = { tag: 'at', user_id: 'ou_unknown' };
    expect(eventsOf('post', post([unknown]))).toMatchObject([{ text: '@colleague', internal: true }]);
    expect(
      eventsOf('post', post([{ tag: 'text', text: 'Bye' }], [{ tag: 'text', text: '！close' }])),
    ).toMatchObject([{ text: 'Bye' }, { kind: 'closed' }]);
    const images = post([{ tag: 'img', image_key: 'img_1' }], [{ tag: 'media', file_key: 'file_1' }]);
    expect(eventsOf('post', images)).toMatchObject([
      { text: '', attachments: [{ name: 'image', url: null }, { name: 'video' }] },
    ]);
    expect(eventsOf('post', { content: 'none' })).toEqual([]);
  });
});

describe('messages without text', () => {
  it.each([
    ['image', { image_key: 'img_1' }, 'image'],
    ['file', { file_key: 'file_1', file_name: 'label.pdf' }, 'label.pdf'],
    ['file', { file_key: 'file_1' }, 'file'],
    ['media', { file_key: 'file_1', file_name: 'x.mp4' }, 'x.mp4'],
    ['media', { file_key: 'file_1' }, 'video'],
    ['audio', { file_key: 'file_1', duration: 2_000 }, 'audio'],
    ['sticker', { file_key: 'file_1' }, 'sticker'],
    ['merge_forward', {}, 'forwarded messages'],
    ['share_user', { user_id: 'ou_1' }, 'contact'],
    ['general_calendar', {}, 'general calendar'],
  ])('of type %s %j are shown as %j', (type, content, name) => {
    const attachments = [{ name, contentType: null, url: null }];
    expect(eventsOf(type, content)).toMatchObject([{ text: '', internal: false, attachments }]);
  });
});

describe('clicks', () => {
  const VALUE = { handoff: 'claim', text: 'User: ada', reference: 'abc' };
  const click = (value: unknown, context: object = { open_message_id: ROOT, open_chat_id: FAKE.chat }) =>
    webhookAdapter().parse(
      eventRequest('card.action.trigger', {
        operator: { open_id: FAKE.agent },
        token: 'c-1',
        action: { value, tag: 'button' },
        host: 'im_message',
        context,
      }),
    );

  it('on "Take" are joins, and everybody sees who it was', () => {
    const { events, response } = click(VALUE);
    const author = { kind: 'agent', name: 'Ann' };
    expect(events).toEqual([
      { kind: 'joined', id: `${ROOT}:joined:${FAKE.agent}`, externalId: ROOT, author },
    ]);
    const { toast, card } = JSON.parse(response?.body ?? '');
    expect(toast.type).toBe('success');
    expect(card.type).toBe('raw');
    expect(card.data.config.update_multi).toBe(true);
    expect(JSON.stringify(card.data)).toContain(`Taken by <at id=${FAKE.agent}></at>`);
    expect(JSON.stringify(card.data)).toContain('User: ada');
  });

  it('on "Close conversation" close, and the answer has no buttons', () => {
    const { events, response } = click({ ...VALUE, handoff: 'close' });
    expect(events).toMatchObject([{ kind: 'closed', id: `${ROOT}:button:ev_1`, externalId: ROOT }]);
    expect(response?.body).toContain('Conversation closed');
    expect(response?.body).not.toContain('"button"');
  });

  it.each([
    ['of another card', { other: 1 }, undefined],
    ['without a value', undefined, undefined],
    ['in another chat', VALUE, { open_message_id: ROOT, open_chat_id: 'oc_other' }],
    ['without a message', VALUE, { open_chat_id: FAKE.chat }],
  ])('%s have no effect', (_which, value, context) => {
    expect(click(value, context)).toMatchObject({ events: [], response: { body: '{}' } });
  });
});
