import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { tinyDesk } from '../../../examples/custom-adapter/adapter.js';
import { harness as hooked, settingsFor } from '../../../examples/custom-adapter/harness.js';
import type { Adapter, InboundRequest } from '../../../src/bridge/index.js';
import {
  type AdapterFactory,
  type AdapterHarness,
  describeAdapter,
  type HarnessHelpdesk,
} from '../../../src/testing/index.js';
import type { WebhookAdapter } from './defect-tools.js';

/** The checks that depend on how events arrive. */
const only = [
  'signature-wrong',
  'pure',
  'unique-ids',
  'agent-name',
  'joined',
  'unavailable',
  'hanging',
  'dispose',
  'restart',
  'two-processes',
  'own-echo',
  'same-words',
  'internal-note',
  'attachment',
  'duplicate',
  'forged',
  'unknown-conversation',
  'user-closes',
  'agent-closes',
  'reply-then-close',
  'close-race',
  'after-close',
];

/** A desk whose webhooks are collected in a list for polling and streams. */
interface ListingHelpdesk extends HarnessHelpdesk {
  readonly told: readonly InboundRequest[];
}

const harness: AdapterHarness<ListingHelpdesk> = {
  ...hooked,
  async start() {
    const told: InboundRequest[] = [];
    const take = async (request: IncomingMessage, response: ServerResponse) => {
      const body = Buffer.concat(await request.toArray());
      told.push({ method: 'POST', url: '/', headers: {}, body, receivedAt: Date.now() });
      response.end();
    };
    const server = createServer((request, response) => void take(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const helpdesk = await hooked.start({ webhookUrl: `http://127.0.0.1:${port}` });
    const stop = async () => {
      await helpdesk.stop();
      server.close();
      server.closeAllConnections();
    };
    return { ...helpdesk, told, stop };
  },
};

/** The reference adapter with polling or a stream instead of webhooks. */
const changed =
  (
    change: (good: WebhookAdapter, helpdesk: ListingHelpdesk) => Partial<Adapter>,
  ): AdapterFactory<ListingHelpdesk> =>
  (site) => {
    const good = tinyDesk(settingsFor(site));
    return { ...good, ...change(good, site.helpdesk) };
  };

const polling = changed((good, { told }) => ({
  capabilities: { ...good.capabilities, inbound: ['poll'] },
  async poll(cursor) {
    const from = cursor === null ? told.length : Number(cursor);
    const events = told.slice(from).flatMap((request) => good.parse(request).events);
    return { events, cursor: String(told.length) };
  },
}));

const streaming = changed((good, { told }) => ({
  capabilities: { ...good.capabilities, inbound: ['stream'] },
  async stream(emit, { signal }) {
    for (let next = 0; !signal.aborted; ) {
      const request = told[next];
      if (request) {
        for (const event of good.parse(request).events) await emit(event);
        next += 1;
      } else await sleep(10, undefined, { signal, ref: false }).catch(() => {});
    }
  },
}));

describeAdapter(
  polling,
  { ...harness, name: 'a desk that is polled', stepTimeoutMs: 30_000 },
  { describe, it, only },
);
describeAdapter(
  streaming,
  { ...harness, name: 'a desk that streams', stepTimeoutMs: 30_000 },
  { describe, it, only },
);

describeAdapter(
  (site) => {
    const good = tinyDesk(settingsFor(site));
    return {
      ...good,
      capabilities: { ...good.capabilities, messageIds: false },
      send: async (...given) => ({ ...(await good.send(...given)), messageId: null }),
      parse(request) {
        const events = good.parse(request).events.map((event) => ({ ...event, messageId: null }));
        return { events };
      },
    };
  },
  { ...hooked, name: 'a desk without ids of messages' },
  { describe, it, only },
);
