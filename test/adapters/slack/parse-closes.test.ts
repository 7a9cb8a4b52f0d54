import { describe, expect, it } from 'vitest';
import { buttonPayload } from '../../fixtures/slack/fake-slack.js';
import { IDS, type SlackMessage } from '../../fixtures/slack/workspace.js';
import { adapterFor, messageRequest, request, THREAD } from './support.js';

const { parse } = adapterFor();
const ID = `${IDS.channel}:1700000005.000200`;

describe('close words', () => {
  it('close after the text before them', () => {
    expect(parse(messageRequest({ text: 'Glad to help!\n!close' })).events).toMatchObject([
      { kind: 'message', id: ID, text: 'Glad to help!', externalId: THREAD },
      {
        kind: 'closed',
        id: `${ID}:close`,
        externalId: THREAD,
        author: { kind: 'agent', name: null, id: IDS.agent },
      },
    ]);
  });

  it.each(['!close', ' !CLOSE ', '\n!Close\n'])('may be the whole message: %j', (text) => {
    expect(parse(messageRequest({ text })).events).toMatchObject([{ kind: 'closed' }]);
  });

  it.each([
    ['at the beginning', { text: '!close is how you end it' }],
    ['as part of a word', { text: 'write not!close' }],
    ['among agents', { text: '// shall we !close' }],
    ['of an app', { text: '!close', bot_id: 'B0OTHER', app_id: 'A0OTHER' }],
    ['of a user, as our own message', { text: '!close', bot_id: IDS.bot, app_id: IDS.app }],
  ])('have no effect %s', (_, event) => {
    expect(parse(messageRequest(event)).events).toMatchObject([{ kind: 'message' }]);
  });

  it('can be configured or disabled', () => {
    const bye = adapterFor({ closeWords: ['/bye', '終了'] });
    expect(bye.parse(messageRequest({ text: '終了' })).events).toMatchObject([{ kind: 'closed' }]);
    expect(bye.parse(messageRequest({ text: '!close' })).events).toMatchObject([{ kind: 'message' }]);
    const none = adapterFor({ closeWords: [] });
    expect(none.parse(messageRequest({ text: '!close' })).events).toMatchObject([{ kind: 'message' }]);
  });

  it('close after the files of the message', () => {
    const event = { subtype: 'file_share', text: '!close', files: [{ name: 'bill.pdf' }] };
    expect(parse(messageRequest(event)).events).toMatchObject([
      { kind: 'message', text: '', attachments: [{ name: 'bill.pdf' }] },
      { kind: 'closed' },
    ]);
  });
});

describe('the close button', () => {
  const root = { type: 'message', ts: '1700000000.000100', text: 'A customer' } as SlackMessage;
  const clickRequest = (payload: object) =>
    request(`payload=${encodeURIComponent(JSON.stringify(payload))}`, 'application/x-www-form-urlencoded');
  const payload = buttonPayload(root, 'handoff_close', IDS.agent);

  it('closes its thread', () => {
    const { events, response } = parse(clickRequest(payload));
    expect(events).toMatchObject([
      { kind: 'closed', externalId: THREAD, author: { kind: 'agent', name: null, id: IDS.agent } },
    ]);
    expect(response).toBeUndefined();
  });

  it('is one event however often it is delivered, and another one when it is clicked again', () => {
    const idOf = (given: object) => parse(clickRequest(given)).events[0]?.id;
    const again = { ...payload, actions: [{ action_id: 'handoff_close', action_ts: '1.5' }] };
    expect(idOf(payload)).toBe(idOf(payload));
    expect(idOf(again)).not.toBe(idOf(payload));
  });

  it.each([
    ['of another action', { actions: [{ action_id: 'other' }] }],
    ['in another channel', { channel: { id: 'C0OTHER' } }],
    ['without a message', { message: undefined, container: {} }],
    ['of a shortcut', { type: 'message_action' }],
    ['without actions', { actions: 'none' }],
  ])('has no effect %s', (_, change) => {
    expect(parse(clickRequest({ ...payload, ...change }))).toEqual({ events: [] });
  });
});
