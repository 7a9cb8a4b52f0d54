import { afterAll, beforeAll, expect, it } from 'vitest';
import { requestTracker, requestTrackerScrip } from '../../../src/adapters/request-tracker/index.js';
import type { Adapter, InboundEvent } from '../../../src/bridge/index.js';
import { listen, type Served } from '../../helpers/serve.js';
import { type RtAgent, rtAgent } from './rt/rt-agent.js';
import { describeWithRt, type Rt, startRt } from './rt/start-rt.js';
import { until } from './rt/until.js';
import { call, message, refOf, session } from './support.js';

/** With what Perl might take for something else. */
const SECRET = 'it\'s a "secret" of \\ $length @all %d';

describeWithRt('the Scrip in a real Request Tracker', () => {
  let rt: Rt;
  let ada: RtAgent;
  let adapter: Adapter;
  let hook: Served;
  let isSilent = false;
  const bodies: string[] = [];
  const events: InboundEvent[] = [];
  const of = (ticket: string) => events.filter(({ externalId }) => externalId === ticket);
  const datafile = () =>
    requestTrackerScrip({ url: `${hook.url}/rt`, secret: SECRET, timeoutSeconds: 1 }).datafile;

  beforeAll(async () => {
    rt = await startRt();
    ada = rtAgent(rt, rt.agent);
    adapter = requestTracker({ url: rt.url, token: rt.kit.token, queue: rt.queue, webhookSecret: SECRET });
    hook = await listen(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = request.headers as Record<string, string>;
      const inbound = {
        method: 'POST',
        url: '/rt',
        headers,
        body: Buffer.concat(chunks),
        receivedAt: Date.now(),
      };
      if (isSilent) return;
      bodies.push(inbound.body.toString());
      expect(adapter.verify?.(inbound)).toBe('genuine');
      events.push(...(adapter.parse?.(inbound).events ?? []));
      response.end();
    });
    expect(rt.install(datafile())).toMatch(/Made Scrip \d+/);
  }, 120_000);
  afterAll(async () => {
    await hook?.end();
    await rt?.remove();
  });

  const opened = async () => {
    const asked = session();
    const { externalId } = await adapter.open(asked, call);
    return { ticket: externalId, ref: refOf(asked, externalId) };
  };

  it('is there once, however often it is installed', async () => {
    expect(rt.install(datafile())).toMatch(/Brought Scrip \d+ up to date/);
    const { ticket } = await opened();
    await ada.reply(ticket, 'hello');
    expect(of(ticket).map(({ id }) => id)).toEqual(
      [...new Set(of(ticket).map(({ id }) => id))].flatMap((id) => [id, id]),
    );
  });

  it('tells of replies, comments, owners and ends, as polling does', async () => {
    const { ticket, ref } = await opened();
    const from = (await adapter.poll?.(null, call))?.cursor ?? null;
    const { messageId } = await adapter.send(ref, message('my words'), call);
    await ada.take(ticket);
    await ada.reply(ticket, 'Grüße 😀 漢字 שלום "quoted" \\ <b>');
    await ada.comment(ticket, 'the customer is wrong');
    await ada.replyInBrowser(
      ticket,
      '<p>Dear customer,</p><p>1 &lt; 2 😀<br />see <a href="https://example.com/a">here</a></p>',
      'resolved',
    );
    const ada1 = { kind: 'agent', name: 'Ada Agent' };
    const said = new Map(of(ticket).map((event) => [event.id, event]));
    expect([...said.values()]).toMatchObject([
      { kind: 'message', author: { kind: 'self' }, messageId, text: 'my words' },
      { kind: 'joined', author: ada1 },
      { kind: 'message', author: ada1, internal: false, text: 'Grüße 😀 漢字 שלום "quoted" \\ <b>' },
      { kind: 'message', author: ada1, internal: true, text: '' },
      { kind: 'message', author: ada1, text: 'Dear customer,\n\n1 < 2 😀\nsee here (https://example.com/a)' },
      { kind: 'closed', author: ada1 },
    ]);
    expect(bodies.join()).not.toContain('the customer is wrong');
    const polled = await adapter.poll?.(from, call);
    const others = [...said.values()].filter(
      (event) => event.author.kind !== 'self' && !('internal' in event && event.internal),
    );
    expect(polled?.events).toEqual(others);
  });

  it('brings the words along that came just before an end, should they have been lost', async () => {
    const { ticket } = await opened();
    await ada.replyAndSetStatus(ticket, 'Done, good bye', 'resolved');
    const body = bodies.at(-1) ?? '';
    expect(JSON.parse(body).told.map(({ type }: { type: string }) => type)).toEqual(['Correspond', 'Status']);
  });

  it('keeps quiet about tickets that are no handed-over conversation', async () => {
    const before = bodies.length;
    const response = await fetch(`${rt.url}/REST/2.0/ticket`, {
      method: 'POST',
      headers: { authorization: `token ${rt.agent.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        Queue: rt.queue,
        Subject: 'Lunch',
        Content: 'Pizza?',
        ContentType: 'text/plain',
      }),
    });
    const { id } = (await response.json()) as { id: string };
    await ada.reply(id, 'Yes');
    expect(bodies).toHaveLength(before);
  });

  it('lets RT go on when nobody answers; what was not told is polled', async () => {
    const { ticket } = await opened();
    const from = (await adapter.poll?.(null, call))?.cursor ?? null;
    isSilent = true;
    await ada.reply(ticket, 'while you were silent');
    await hook.end();
    await ada.reply(ticket, 'while you were away');
    const { history } = await ada.read(ticket);
    expect(history.filter(({ type }) => type === 'Correspond')).toHaveLength(2);
    const polled = await adapter.poll?.(from, call);
    expect(polled?.events.map((event) => event.kind === 'message' && event.text)).toEqual([
      'while you were silent',
      'while you were away',
    ]);
    await until('RT to log it', () => rt.log().includes('nobody answered'));
    expect(rt.log()).not.toContain('secret');
    expect(rt.log()).not.toContain('while you were');
  });
});
