import { expect, onTestFinished, test } from 'vitest';
import { botAt, startReceiver, startSimulator } from './support.js';

interface Event {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/** Reads server-sent events as a browser does. */
async function openEvents(baseUrl: string, lastEventId?: string) {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const response = await fetch(`${baseUrl}/simulator/events`, {
    signal: closing.signal,
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  });
  const events: Event[] = [];
  const read = async () => {
    let rest = '';
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + Buffer.from(chunk).toString()).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: ([^\\n]*)$`, 'm').exec(block)?.[1];
        const data = field('data');
        if (data) events.push({ id: field('id') ?? '', type: field('event') ?? '', data: JSON.parse(data) });
      }
    }
  };
  const ended = read().catch(() => undefined);
  return { response, events, ended, leave: () => closing.abort() };
}

async function start() {
  const receiver = await startReceiver();
  return startSimulator({ bots: [botAt(receiver.url)] });
}

test('a browser first gets the whole state, then live events', async () => {
  const { simulator, baseUrl } = await start();
  await simulator.customer.say('before');
  const { response, events } = await openEvents(baseUrl);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  await expect
    .poll(() => events)
    .toMatchObject([{ type: 'state', data: { lines: [{ text: 'before' }, {}] } }]);

  await simulator.customer.askForHuman({});
  simulator.faults.set('delay');
  await expect
    .poll(() => events.slice(1))
    .toMatchObject([
      { type: 'view', data: { status: 'requesting' } },
      { type: 'exchange', data: { what: 'establish', answer: null } },
      { type: 'exchange', data: { what: 'establish', answer: { status: 200 } } },
      { type: 'view', data: { status: 'connecting' } },
      { type: 'faults' },
    ]);
});

test('a browser that reconnects gets the missed events once', async () => {
  const { simulator, baseUrl } = await start();
  const first = await openEvents(baseUrl);
  await simulator.customer.say('one');
  await expect.poll(() => first.events.length).toBe(3);
  first.leave();
  await simulator.customer.say('two');
  const second = await openEvents(baseUrl, first.events.at(-1)?.id);
  await simulator.customer.say('three');
  await expect
    .poll(() => second.events.filter(({ data }) => data.from === 'user'))
    .toMatchObject([
      { type: 'line', data: { text: 'two' } },
      { type: 'line', data: { text: 'three' } },
    ]);
  const seen = new Set(first.events.map(({ id }) => id));
  expect(second.events.filter(({ id, type }) => type === 'state' || seen.has(id))).toEqual([]);
});

test('a browser that missed no events gets none', async () => {
  const { simulator, baseUrl } = await start();
  const first = await openEvents(baseUrl);
  await expect.poll(() => first.events.length).toBe(1);
  const second = await openEvents(baseUrl, first.events[0]?.id);
  await simulator.customer.say('one');
  await expect.poll(() => second.events.map(({ type }) => type)).toEqual(['line', 'line']);
});

test.each(['nonsense', '-1', 'otherrun-1', ''])(
  'an event id of another run (%j) gets the whole state',
  async (id) => {
    const { baseUrl } = await start();
    const { events } = await openEvents(baseUrl, id);
    await expect.poll(() => events.map(({ type }) => type)).toEqual(['state']);
  },
);

test('a browser that was away too long gets the whole state again', async () => {
  const { simulator, baseUrl } = await start();
  const first = await openEvents(baseUrl);
  await expect.poll(() => first.events.length).toBe(1);
  for (let count = 0; count < 501; count += 1) await simulator.customer.say('x');
  const second = await openEvents(baseUrl, first.events[0]?.id);
  await expect.poll(() => second.events[0]?.type).toBe('state');
});

test('line breaks in texts do not break an event', async () => {
  const { simulator, baseUrl } = await start();
  const { events } = await openEvents(baseUrl);
  const text = 'one\n\nevent: evil\ndata: {}\r\n\u2028';
  await simulator.customer.say(text);
  await expect.poll(() => events[1]?.data.text).toBe(text);
});

test('closing the simulator ends the stream', async () => {
  const { simulator, baseUrl } = await start();
  const { ended } = await openEvents(baseUrl);
  await simulator.close();
  await ended;
});
