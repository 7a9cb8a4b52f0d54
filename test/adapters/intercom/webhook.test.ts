import { describe, expect, it } from 'vitest';
import { intercom } from '../../../src/adapters/intercom/index.js';
import { FAKE_CLIENT_SECRET, FAKE_TOKEN } from '../../fixtures/intercom/fake-intercom.js';
import { eventsOf, webhook } from './support.js';

const ADA = { type: 'admin', id: '7', name: 'Ada' };
const comment = { id: '12', part_type: 'comment', body: 'Hello', author: ADA };

describe('a notification of Intercom', () => {
  it.each([null, '', {}, [null], true])('is left out if the id of its part is %j', (id) => {
    expect(eventsOf({ ...comment, id })).toEqual([]);
  });

  it('brings a reply with its author', () => {
    expect(eventsOf(comment)).toEqual([
      {
        kind: 'message',
        id: 'part 12',
        externalId: '401',
        author: { kind: 'agent', name: 'Ada' },
        text: 'Hello',
        internal: false,
        messageId: '12',
      },
    ]);
  });

  it.each([
    ['plain text', 'Is 1 < 2 & <b>so</b>?', 'Is 1 < 2 & <b>so</b>?'],
    [
      'HTML',
      '<p>Is 1 &lt; 2?</p><p>See <a href="https://a.test">here</a></p>',
      'Is 1 < 2?\n\nSee here (https://a.test)',
    ],
    ['plain text that names a tag', 'Use the <b> tag', 'Use the <b> tag'],
    ['plain text with something like a tag', 'I <3 you & <ann@a.test> too', 'I <3 you & <ann@a.test> too'],
    ['plain text with a tag of no browser', 'Set <name>Ann</name>', 'Set <name>Ann</name>'],
    ['plain text with an ampersand', '<b>Q</b> & A', '<b>Q</b> & A'],
    ['HTML that begins with text', 'Hello <b>Ann</b>,<br>it is &lt;new&gt;.', 'Hello Ann,\nit is <new>.'],
    [
      'HTML that begins with a link',
      '<a href="https://a.test/?b=1&c=2">Here</a>',
      'Here (https://a.test/?b=1&c=2)',
    ],
    ['HTML that ends with text', '<p>One</p>two', 'One\n\ntwo'],
    ['HTML with a mistake', '<p>A & B</p>', 'A & B'],
  ])('brings %s as the user should see it', (_what, body, text) => {
    expect(eventsOf({ ...comment, body })).toMatchObject([{ text }]);
  });

  it('brings files and images, also without a text', () => {
    const attachments = [
      { type: 'upload', name: 'a.pdf', url: 'https://a.test/a.pdf', content_type: 'application/pdf' },
    ];
    const file = { name: 'a.pdf', contentType: 'application/pdf', url: 'https://a.test/a.pdf' };
    expect(eventsOf({ ...comment, attachments })).toMatchObject([{ text: 'Hello', attachments: [file] }]);
    expect(eventsOf({ ...comment, body: null, attachments })).toMatchObject([
      { text: '', attachments: [file] },
    ]);
    const body = '<div><img src="https://a.test/i.png?a=1&amp;b=2"></div>';
    expect(eventsOf({ ...comment, body })).toMatchObject([
      { text: '', attachments: [{ name: 'image', contentType: null, url: 'https://a.test/i.png?a=1&b=2' }] },
    ]);
  });

  it.each([
    [
      'a video',
      '<p><iframe src="https://v.test/embed/1?a=1&amp;b=2"></iframe></p>',
      'video',
      'https://v.test/embed/1?a=1&b=2',
    ],
    ['a video file', '<video controls src="https://v.test/1.mp4"></video>', 'video', 'https://v.test/1.mp4'],
    [
      'a video with a source',
      '<video><source src="https://v.test/2.mp4"></video>',
      'video',
      'https://v.test/2.mp4',
    ],
    ['a video without an address', '<div><video></video></div>', 'video', null],
    ['a recording', "<audio src='https://v.test/3.mp3'></audio>", 'recording', 'https://v.test/3.mp3'],
    ['something unknown', null, 'a message without text', null],
  ])('says a word when a reply is only %s', (_what, body, name, url) => {
    expect(eventsOf({ ...comment, body })).toMatchObject([{ text: '', attachments: [{ name, url }] }]);
  });

  it('keeps notes and parts of an unknown type from the user', () => {
    for (const part_type of ['note', 'note_and_reopen', 'fin_summary']) {
      expect(eventsOf({ ...comment, part_type })).toMatchObject([{ internal: true }]);
    }
  });

  it.each([
    ['a bot', { type: 'bot', id: '1', name: 'Operator' }, 'system'],
    ['Fin in the name of an admin', { ...ADA, from_ai_agent: true }, 'system'],
    ['an answer that Fin wrote', { ...ADA, is_ai_answer: true }, 'system'],
    ['the contact', { type: 'user', id: '5' }, 'self'],
    ['a lead', { type: 'lead', id: '5' }, 'self'],
    ['nobody', null, 'system'],
  ])('knows the author: %s', (_who, author, kind) => {
    expect(eventsOf({ ...comment, author })).toMatchObject([{ author: { kind } }]);
  });

  it('brings the words of a close before the close', () => {
    const events = eventsOf({ ...comment, part_type: 'close' }, 'conversation.admin.closed');
    expect(events.map(({ kind, id }) => [kind, id])).toEqual([
      ['message', 'part 12'],
      ['closed', 'part 12 closed'],
    ]);
  });

  it('knows its own close', () => {
    const body = '[handoff] The user has left.';
    expect(eventsOf({ ...comment, part_type: 'close', body }).map(({ author }) => author.kind)).toEqual([
      'self',
      'self',
    ]);
    // Words of an agent, even if they begin in the same way.
    expect(eventsOf({ ...comment, body })).toMatchObject([{ author: { kind: 'agent' } }]);
  });

  it('brings an assignment, with the name of the agent who took the conversation', () => {
    const assigned = { id: '13', part_type: 'assignment', body: null, author: ADA };
    expect(eventsOf({ ...assigned, assigned_to: { type: 'admin', id: '7' } })).toMatchObject([
      { kind: 'joined', author: { kind: 'agent', name: 'Ada' } },
    ]);
    expect(eventsOf({ ...assigned, assigned_to: { type: 'admin', id: '8' } })).toMatchObject([
      { kind: 'joined', author: { kind: 'agent', name: null } },
    ]);
    expect(eventsOf({ ...assigned, assigned_to: { type: 'team', id: '9' } })).toEqual([]);
  });

  it('has no effect if it is about something else', () => {
    expect(eventsOf(comment, 'conversation.user.replied')).toEqual([]);
    expect(eventsOf({ id: '14', part_type: 'snoozed', author: ADA }, 'conversation.admin.snoozed')).toEqual(
      [],
    );
    const adapter = intercom({ accessToken: FAKE_TOKEN, clientSecret: FAKE_CLIENT_SECRET });
    const ping = { type: 'notification_event', topic: 'ping', data: { item: { type: 'ping' } } };
    expect(adapter.parse?.(webhook(ping))).toEqual({ events: [] });
  });
});

describe('verify', () => {
  const adapter = intercom({ accessToken: FAKE_TOKEN, clientSecret: ['old', 'new'] });
  const genuine = webhook({}, 'new');

  it.each([
    ['one secret', webhook({}, 'old'), 'genuine'],
    ['the other', genuine, 'genuine'],
    ['another', webhook({}, 'other'), 'forged'],
    ['another body', { ...genuine, body: Buffer.from('[]') }, 'forged'],
    ['no signature', { ...genuine, headers: {} }, 'unsigned'],
    ['a signature of another kind', { ...genuine, headers: { 'x-hub-signature': 'sha256=00' } }, 'forged'],
  ])('verifies %s', (_what, request, verdict) => {
    expect(adapter.verify?.(request)).toBe(verdict);
  });
});
