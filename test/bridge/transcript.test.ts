import { describe, expect, it } from 'vitest';
import { divideTranscript, transcriptParts } from '../../src/bridge/adapter/text.js';
import { AdapterError, transcriptText } from '../../src/public/adapter.js';
import { eventually } from '../helpers/eventually.js';
import { setUpBridge, sqliteDelivery } from './setup.js';

const HEADING = '[handoff] Said before, continued:\n\n';
const MAX = 1_000;

/** Too long for two messages of the fake desk. */
const LONG = Array.from({ length: 30 }, (_, index) => ({
  text: `${index} ${'words '.repeat(15)}`.trim(),
  message_type: index % 2 === 0 ? 'QUESTION' : 'ANSWER',
}));

/** What agents see of a transcript, put together again. */
const whole = (opening: string, parts: readonly string[]): string =>
  [opening, ...parts.map((part) => part.replace(HEADING, ''))].join('\n\n');

async function withLongTranscript(isStored: boolean) {
  const receiver = isStored ? { delivery: await sqliteDelivery() } : {};
  const setup = await setUpBridge({ receiver });
  const seen = () => {
    const session = setup.desk.tickets[0]?.session;
    if (!session) throw new Error('nothing was opened');
    const later = session.later ?? [];
    return {
      opening: transcriptText(session.transcript),
      all: transcriptText([...session.transcript, ...later]),
      parts: transcriptParts(later, MAX).length,
    };
  };
  return { ...setup, seen };
}

describe.each([
  ['stored', true],
  ['inline', false],
])('a transcript longer than a message, with %s delivery', (_, isStored) => {
  it('is sent whole, in order, before the first message of the user', async () => {
    const { bench, desk, seen } = await withLongTranscript(isStored);
    await bench.requestHandoff({ transcript: LONG });
    await bench.say('Hello?');
    await eventually(() => expect(desk.sentTexts()).toContain('Hello?'));
    const { opening, all, parts } = seen();
    expect(opening.length).toBeLessThanOrEqual(MAX / 2);
    expect(parts).toBeGreaterThan(1);
    const sent = desk.sentTexts();
    expect(sent).toHaveLength(parts + 1);
    expect(sent.every((text) => text.length <= MAX)).toBe(true);
    expect(whole(opening, sent.slice(0, -1))).toBe(all);
    for (const { text } of LONG) expect(all).toContain(text);
  });

  it('is completed after a failure, each part once', async () => {
    const { bench, desk, seen } = await withLongTranscript(isStored);
    desk.behave({
      send(apply, nth) {
        if (nth >= 2 && nth <= 5) throw new AdapterError('transient', 'not now.');
        return apply();
      },
    });
    await bench.requestHandoff({ transcript: LONG });
    await eventually(() => expect(desk.count('send')).toBeGreaterThanOrEqual(4));
    await bench.say('Hello?').catch(() => bench.say('Hello?'));
    await eventually(() => expect(desk.sentTexts().at(-1)).toBe('Hello?'));
    const { opening, all } = seen();
    const sent = desk.sentTexts().filter((text) => text !== 'Hello?');
    expect(whole(opening, sent)).toBe(all);
  });

  it('does not hold up the user when the helpdesk refuses it', async () => {
    const { bench, desk } = await withLongTranscript(isStored);
    desk.behave({
      send(apply, nth) {
        if (nth === 1) throw new AdapterError('invalid', 'not that.');
        return apply();
      },
    });
    await bench.requestHandoff({ transcript: LONG });
    await bench.say('Hello?');
    await eventually(() => expect(desk.sentTexts().at(-1)).toBe('Hello?'));
  });
});

describe('a transcript that fits', () => {
  it('is given to open, and nothing else is sent', async () => {
    const { bench, desk, seen } = await withLongTranscript(true);
    await bench.requestHandoff({ transcript: LONG.slice(0, 3) });
    await bench.say('Hello?');
    await eventually(() => expect(desk.sentTexts()).toEqual(['Hello?']));
    expect(seen().opening).toBe(seen().all);
  });
});

describe('divideTranscript', () => {
  it('leaves an item that is too long for the first message to the next', () => {
    const transcript = [{ from: 'user', text: 'x'.repeat(5_000) }] as const;
    expect(divideTranscript(transcript, MAX)).toEqual({ opening: [], later: transcript });
    const parts = transcriptParts(transcript, MAX);
    expect(parts.map((part) => part.replace(HEADING, '')).join('')).toBe(
      `Customer: ${'x'.repeat(5_000)}`.replace(': ', ':'),
    );
  });
});
