import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { requestTracker, requestTrackerScrip } from '../../../src/adapters/request-tracker/index.js';
import type { Adapter, InboundEvent, InboundRequest, SignatureVerdict } from '../../../src/bridge/index.js';
import { listen, type Served } from '../../helpers/serve.js';
import { type RtAgent, rtAgent } from './rt/rt-agent.js';
import { describeWithRt, type Rt, startRt } from './rt/start-rt.js';
import { submitForm } from './rt/submit-form.js';
import { until } from './rt/until.js';
import { call, message, session, toRef } from './support.js';

// RT is slow, especially on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** With characters that are special in Perl. */
const SECRET = 'it\'s a "secret" of \\ $length @all %d';

describeWithRt('the Scrip in a real Request Tracker', () => {
  let rt: Rt;
  let ada: RtAgent;
  let adapter: Adapter;
  let hook: Served;
  let isSilent = false;
  const bodies: string[] = [];
  const verdicts = new Set<SignatureVerdict | undefined>();
  const events: InboundEvent[] = [];
  const of = (ticket: string) => events.filter(({ externalId }) => externalId === ticket);
  const scrip = () => requestTrackerScrip({ url: `${hook.url}/rt`, secret: SECRET, timeoutSeconds: 1 });

  const hear = (request: InboundRequest) => {
    bodies.push(request.body.toString());
    verdicts.add(adapter.verify?.(request));
    events.push(...(adapter.parse?.(request).events ?? []));
  };

  beforeAll(async () => {
    rt = await startRt();
    ada = rtAgent(rt, rt.agent);
    adapter = requestTracker({ url: rt.url, token: rt.kit.token, queue: rt.queue, webhookSecret: SECRET });
    hook = await listen((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (isSilent) return;
        const headers = request.headers as Record<string, string>;
        hear({ method: 'POST', url: '/rt', headers, body: Buffer.concat(chunks), receivedAt: Date.now() });
        response.end();
      });
    });
  });
  afterAll(async () => {
    await hook?.end();
    await rt?.remove();
  });

  const opened = async () => {
    const asked = session();
    const { externalId } = await adapter.open(asked, call);
    return { ticket: externalId, ref: toRef(asked, externalId) };
  };

  it('is created once, through the web form or by a file', async () => {
    const { description, condition, prepare, commit, datafile } = scrip();
    await submitForm(rt, rt.root, '/Admin/Scrips/Create.html', {
      Queue: '0',
      Description: description,
      ScripCondition: 'User Defined',
      ScripAction: 'User Defined',
      Template: 'Blank',
      Stage: 'TransactionCreate',
      CustomIsApplicableCode: condition,
      CustomPrepareCode: prepare,
      CustomCommitCode: commit,
      Create: 'Create',
    });
    const { ticket } = await opened();
    await ada.reply(ticket, 'hello');
    const types = () => bodies.map((body) => JSON.parse(body).transactions.at(-1).type);
    // RT itself opens a new ticket when it is answered, and reports that first.
    expect(types()).toEqual(['Status', 'Correspond']);
    expect(rt.install(datafile)).toMatch(/Updated Scrip \d+/);
    await ada.reply(ticket, 'hello again');
    expect(types()).toEqual(['Status', 'Correspond', 'Correspond']);
    expect([...verdicts]).toEqual(['genuine']);
  });

  it('reports replies, comments, owners and closes, as polling does', async () => {
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
    expect([...verdicts]).toEqual(['genuine']);
    expect(bodies.join()).not.toContain('the customer is wrong');
    const polled = await adapter.poll?.(from, call);
    const others = [...said.values()].filter(
      (event) => event.author.kind !== 'self' && !('internal' in event && event.internal),
    );
    expect(polled?.events).toEqual(others);
  });

  it('includes the last reply in a close, in case it was lost', async () => {
    const { ticket } = await opened();
    await ada.replyAndSetStatus(ticket, 'Done, good bye', 'resolved');
    const body = bodies.at(-1) ?? '';
    expect(JSON.parse(body).transactions.map(({ type }: { type: string }) => type)).toEqual([
      'Correspond',
      'Status',
    ]);
  });

  it('does not report tickets that are not handoffs', async () => {
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

  it('does not block RT when the receiver is down; polling catches up', async () => {
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
    await until('RT to log it', () => rt.log().includes('no answer'));
    expect(rt.log()).not.toContain('secret');
    expect(rt.log()).not.toContain('while you were');
  });
});
