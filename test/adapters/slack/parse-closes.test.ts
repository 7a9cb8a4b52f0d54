import { describe, expect, it } from 'vitest';
import { buttonPayload } from '../../fixtures/slack/fake-slack.js';
import { IDS, type SlackMessage } from '../../fixtures/slack/workspace.js';
import { adapterFor, messageRequest, request, THREAD } from './support.js';

const { parse } = adapterFor();
const ID = `${IDS.channel}:1700000005.000200`;

describe('words that end a conversation', () => {
  it('come after the words before them', () => {
    expect(parse(messageRequest({ text: 'Glad to help!\n!close' })).events).toMatchObject([
      { kind: 'message', id: ID, text: 'Glad to help!', externalId: THREAD },
      { kind: 'closed', id: `${ID}:close`, externalId: THREAD, author: { kind: 'agent', name: 'Ann' } },
    ]);
  });

  it.each(['!close', ' !CLOSE ', '\n!Close\n'])('may stand alone: %j', (text) => {
    expect(parse(messageRequest({ text })).events).toMatchObject([{ kind: 'closed' }]);
  });

  it.each([
    ['at the beginning', { text: '!close is how you end it' }],
    ['as part of a word', { text: 'write not!close' }],
    ['among agents', { text: '// shall we !close' }],
    ['of an app', { text: '!close', bot_id: 'B0OTHER', app_id: 'A0OTHER' }],
    ['of a user, as our own message', { text: '!close', bot_id: IDS.bot, app_id: IDS.app }],
  ])('do nothing %s', (_, event) => {
    expect(parse(messageRequest(event)).events).toMatchObject([{ kind: 'message' }]);
  });

  it('can be others, and none', () => {
    const bye = adapterFor({ closeWords: ['/bye', '終了'] });
    expect(bye.parse(messageRequest({ text: '終了' })).events).toMatchObject([{ kind: 'closed' }]);
    expect(bye.parse(messageRequest({ text: '!close' })).events).toMatchObject([{ kind: 'message' }]);
    const none = adapterFor({ closeWords: [] });
    expect(none.parse(messageRequest({ text: '!close' })).events).toMatchObject([{ kind: 'message' }]);
  });

  it('let files through first', () => {
    const event = { subtype: 'file_share', text: '!close', files: [{ name: 'bill.pdf' }] };
    expect(parse(messageRequest(event)).events).toMatchObject([
      { kind: 'message', text: '[bill.pdf]' },
      { kind: 'closed' },
    ]);
  });
});

describe('the button that ends a conversation', () => {
  const root = { type: 'message', ts: '1700000000.000100', text: 'A customer' } as SlackMessage;
  const pressed = (payload: object) =>
    request(`payload=${encodeURIComponent(JSON.stringify(payload))}`, 'application/x-www-form-urlencoded');
  const payload = buttonPayload(root, 'handoff_close', IDS.agent);

  it('ends the thread whose first message has it', () => {
    const { events, response } = parse(pressed(payload));
    expect(events).toMatchObject([
      { kind: 'closed', externalId: THREAD, author: { kind: 'agent', name: 'Ann' } },
    ]);
    expect(response).toBeUndefined();
  });

  it('is one event however often it is delivered, and another when it is pressed again', () => {
    const idOf = (given: object) => parse(pressed(given)).events[0]?.id;
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
  ])('is not meant: %s', (_, change) => {
    expect(parse(pressed({ ...payload, ...change }))).toEqual({ events: [] });
  });
});
