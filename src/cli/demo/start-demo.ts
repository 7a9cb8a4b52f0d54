import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { createServiceClient } from '../../service/index.js';
import { createSimulator, type Simulator } from '../../simulator/index.js';
import { createStandalone, readSettings } from '../../standalone/index.js';
import { answerAsHuman, GREETING } from './echo-human.js';
import { readOpenapi } from './openapi.js';

/** The simulated service and a receiver, at work on this machine. */
export interface Demo {
  readonly simulator: Simulator;
  /** Where the page is. */
  readonly pageUrl: string;
  /** Where the receiver takes messages. */
  readonly receiverUrl: string;
  /** Stops both. */
  readonly close: () => Promise<void>;
}

/** A question that the agent of the demo can answer. */
export const QUESTION = 'How long does delivery take?';

const KNOWLEDGE = {
  purpose: 'QA_TEXT' as const,
  name: 'Delivery',
  qaList: [{ question: QUESTION, answer: 'Two days. Ask for a human if your parcel is late.' }],
};

const AGENT_ID = 'demo-agent';

/** The receiver tells nothing itself: the simulator sees both directions. */
const SILENT = { event() {}, status() {} };

const madeUp = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Starts both with made-up credentials: the page on `port`, the receiver on any free one. */
export async function startDemo({ port, log }: { port: number; log: Logger }): Promise<Demo> {
  const apiKey = madeUp(24);
  const simulator = createSimulator({
    agents: [{ id: AGENT_ID, name: 'Demo agent', apiKey }],
    openapi: readOpenapi(),
    log,
  });
  const pageUrl = await simulator.listen(port);

  const [username, secret, token] = ['demo', madeUp(16), madeUp(16)];
  const { settings } = readSettings({
    env: {},
    dev: true,
    flags: {
      port: '0',
      webhookUsername: username,
      webhookSecret: secret,
      handoffAuth: `path:${token}`,
      serviceBaseUrl: pageUrl,
      serviceApiKey: apiKey,
      greeting: GREETING,
    },
  });
  const standalone = createStandalone(settings, { reporter: SILENT, log });
  standalone.receiver.on('handoff.message', answerAsHuman);
  const receiverUrl = `${await standalone.listen()}${settings.mountPath}`;
  simulator.agents.update(AGENT_ID, {
    message: { url: receiverUrl, username, secret },
    humanServices: [{ componentId: 'demo-desk', componentName: 'Demo desk', url: `${receiverUrl}/${token}` }],
  });
  await createServiceClient({ baseUrl: pageUrl, apiKey }).knowledge.addQa(KNOWLEDGE);
  // What was needed to set the stage is no part of the play.
  simulator.traffic.clear();

  return {
    simulator,
    pageUrl,
    receiverUrl,
    async close() {
      await simulator.close();
      await standalone.close();
    },
  };
}
