import { afterAll, describe, it, vi } from 'vitest';
import { requestTracker, requestTrackerScrip } from '../../../src/adapters/request-tracker/index.js';
import { type AdapterHarness, describeAdapter, type HarnessHelpdesk } from '../../../src/testing/index.js';
import { freePort } from '../../helpers/free-port.js';
import { rtAgent } from './rt/rt-agent.js';
import { describeWithRt, type Rt, startRt } from './rt/start-rt.js';

// RT is slow, especially on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const SECRET = 'what the Scrip signs with in these tests';
const webhookPort = await freePort();

interface RtHelpdesk extends HarnessHelpdesk {
  readonly rt: Rt;
}

describeWithRt('the conformance kit with a real Request Tracker', () => {
  const secrets = [SECRET];
  let shared: Promise<Rt> | null = null;

  /** One RT for all checks, which tell their tickets apart by creation time. */
  const startOnce = async (webhookUrl: string): Promise<Rt> => {
    const rt = await startRt();
    secrets.push(rt.kit.token);
    rt.install(requestTrackerScrip({ url: webhookUrl, secret: SECRET, queue: rt.queue }).datafile);
    return rt;
  };
  afterAll(async () => (await shared)?.remove());

  const harness: AdapterHarness<RtHelpdesk> = {
    name: 'Request Tracker 5',
    webhookPort,
    live: true,
    stepTimeoutMs: 60_000,
    secrets,
    // RT answers in JSON; a page says that the address is wrong.
    faults: { gone: { status: 404, headers: { 'content-type': 'application/json' }, body: '{}' } },
    unsupported: { attach: 'files of a ticket can be opened with an account of RT only.' },
    async start({ webhookUrl }) {
      shared ??= startOnce(webhookUrl);
      const rt = await shared;
      const ada = rtAgent(rt, rt.agent);
      const before = Math.max(0, ...(await ada.ticketsAfter(0)).map(Number));
      return {
        rt,
        baseUrl: rt.url,
        list: () => ada.ticketsAfter(before),
        async read(ticket) {
          const { status, history } = await ada.read(ticket);
          const shown = history.filter(({ by, text }) => by === rt.kit.login && text !== '');
          return { isClosed: status === 'resolved', shown: shown.map(({ text }) => text), customer: null };
        },
        agent: {
          name: 'Ada Agent',
          reply: (ticket, text) => ada.reply(ticket, text),
          note: (ticket, text) => ada.comment(ticket, text),
          close: (ticket) => ada.setStatus(ticket, 'resolved'),
          replyAndClose: (ticket, text) => ada.replyAndSetStatus(ticket, text, 'resolved'),
          join: (ticket) => ada.take(ticket),
        },
        stop: async () => {},
      };
    },
  };

  describeAdapter<RtHelpdesk>(
    ({ baseUrl, credentials, helpdesk: { rt } }) =>
      requestTracker({
        url: baseUrl,
        token: credentials === 'right' ? rt.kit.token : `1-${rt.kit.id}-${'0'.repeat(32)}`,
        queue: rt.queue,
        webhookSecret: SECRET,
      }),
    harness,
    { describe, it, timeoutMs: 600_000 },
  );
});
