import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { createServiceClient } from '../../client/index.js';
import { createSimulator, type Simulator } from '../../simulator/index.js';
import { loadProgram } from '../../standalone/index.js';
import { answerAsHuman, GREETING } from './echo-human.js';
import { openFront } from './front.js';
import { readOpenapi } from './openapi.js';
import { openTemporaryStore } from './temporary-store.js';

/** The simulated service and a receiver, at work on this machine. */
export interface Demo {
  readonly simulator: Simulator;
  /** Where the page is; with a token in it that lets one into the desk once. */
  readonly pageUrl: string;
  /** Where the simulated service is. */
  readonly serviceUrl: string;
  /** Where the receiver takes messages. */
  readonly receiverUrl: string;
  /** Stops both. */
  readonly close: () => Promise<void>;
}

/** How the demo is set up. */
export interface DemoOptions {
  /** The port of the page. */
  readonly port: number;
  readonly log: Logger;
  /** Whether a program stands in for the human, in place of the desk. */
  readonly automatic: boolean;
}

/** A question that the agent of the demo can answer. */
export const QUESTION = 'How long does delivery take?';

const KNOWLEDGE = {
  purpose: 'QA_TEXT' as const,
  name: 'Delivery',
  qaList: [{ question: QUESTION, answer: 'Two days. Ask for a human if your parcel is late.' }],
};

const AGENT_ID = 'demo-agent';
const HUMAN = { id: 'you', name: 'You' };

/** Longer than the platform's usual minute: whoever looks at this for the first time reads, too. */
const WAIT_TIMEOUT_MS = 300_000;

/** The receiver tells nothing itself: the simulator sees both directions. */
const SILENT = { event() {}, status() {} };

const madeUp = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Starts both with made-up credentials: the page on `port`, the receiver on any free one. */
export async function startDemo({ port, log, automatic }: DemoOptions): Promise<Demo> {
  const apiKey = madeUp(24);
  const simulator = createSimulator({
    agents: [{ id: AGENT_ID, name: 'Demo agent', apiKey }],
    openapi: readOpenapi(),
    log,
    framedBy: 'same-origin',
    ...(!automatic && { waitTimeoutMs: WAIT_TIMEOUT_MS }),
  });
  const front = automatic ? null : await openFront(simulator, port);
  const serviceUrl = front?.serviceUrl ?? (await simulator.listen(port));

  const [username, secret, token] = ['demo', madeUp(16), madeUp(16)];
  const { createStandalone, readSettings } = await loadProgram();
  const { settings } = await readSettings({
    env: {},
    dev: true,
    flags: {
      port: '0',
      webhookUsername: username,
      webhookSecret: secret,
      handoffAuth: `path:${token}`,
      serviceBaseUrl: serviceUrl,
      serviceApiKey: apiKey,
      ...(automatic
        ? { adapter: 'none', greeting: GREETING }
        : { adapter: 'desk', waitTimeout: `${WAIT_TIMEOUT_MS}ms` }),
    },
  });
  const store = automatic ? null : await openTemporaryStore();
  const standalone = await createStandalone(settings, {
    reporter: SILENT,
    log,
    delivery: store?.delivery ?? null,
    oneTimeLinkFor: HUMAN,
    framed: true,
  });
  const { receiver, adapter } = standalone;
  if (automatic) receiver.on('handoff.message', answerAsHuman);
  if (adapter) front?.show(adapter.handler);
  const receiverUrl = `${await standalone.listen()}${settings.mountPath}`;
  simulator.agents.update(AGENT_ID, {
    message: { url: receiverUrl, username, secret },
    humanServices: [{ componentId: 'demo-desk', componentName: 'Demo desk', url: `${receiverUrl}/${token}` }],
  });
  await createServiceClient({ baseUrl: serviceUrl, apiKey }).knowledge.addQa(KNOWLEDGE);
  // What was needed to set the stage is no part of the play.
  simulator.traffic.clear();

  return {
    simulator,
    pageUrl: front ? `${front.url}/${adapter?.oneTimePath?.replace(/^.*\?/, '?') ?? ''}` : serviceUrl,
    serviceUrl,
    receiverUrl,
    async close() {
      await simulator.close();
      await standalone.close();
      await front?.close();
      store?.remove();
    },
  };
}
