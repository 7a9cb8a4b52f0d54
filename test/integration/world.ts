import { expect, onTestFinished } from 'vitest';
import { createServiceClient, pathToken, type ReceiverOptions, webhookUser } from '../../src/index.js';
import { createManualClock, createSimulator, type SimulatorOptions } from '../../src/simulator/index.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { serve } from '../helpers/serve.js';
import { makeReceiver } from '../helpers/start.js';
import { createOpenApiValidator } from './openapi-validator.js';
import { type Tapped, wiretap } from './wiretap.js';

/** The key of the agent in every world. */
export const API_KEY = 'api-key-of-agent-1';

const validator = createOpenApiValidator();

/**
 * Simulator, receiver and client, each behind a socket of its own, with a wiretap in both directions. When the
 * test ends, every exchange is held against openapi.json.
 */
export async function startWorld({
  simulator: simulatorOptions = {},
  receiver: receiverOptions = {},
}: {
  simulator?: SimulatorOptions;
  receiver?: Partial<ReceiverOptions>;
} = {}) {
  const tapped: Tapped[] = [];
  const note = (exchange: Tapped) => {
    tapped.push(exchange);
  };
  const clock = createManualClock();
  const simulator = createSimulator({ clock, ...simulatorOptions });
  const direct = await simulator.listen();
  const toService = await wiretap(direct, note);
  const service = { baseUrl: toService.url, apiKey: API_KEY, retry: false } as const;

  const { receiver, seen } = makeReceiver({
    auth: { message: webhookUser({ username: USERNAME, secret: SECRET }), handoff: pathToken(PATH_TOKEN) },
    service,
    ...receiverOptions,
  });
  const served = await serve(receiver);
  const toReceiver = await wiretap(served.url, note);
  simulator.agents.add({
    id: 'agent-1',
    apiKey: API_KEY,
    message: { url: `${toReceiver.url}/`, username: USERNAME, secret: SECRET },
    humanServices: [
      { componentId: 'desk', componentName: 'The desk', url: `${toReceiver.url}/${PATH_TOKEN}` },
    ],
  });

  onTestFinished(async () => {
    await simulator.idle();
    await receiver.close();
    await Promise.all([toService.end(), toReceiver.end(), simulator.close()]);
    expect(tapped.flatMap(validator.violations)).toEqual([]);
  });

  return {
    simulator,
    clock,
    receiver,
    seen,
    tapped,
    client: createServiceClient(service),
    /** The simulator's own address and the receiver's, past the wiretaps: for what is against the contract. */
    direct,
    receiverUrl: toReceiver.url,
    /** A client with another key. */
    clientWith: (apiKey: string) => createServiceClient({ ...service, apiKey }),
    /** Calls the service past client and wiretap. */
    raw: async (method: string, path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
      const response = await fetch(direct + path, { method, headers, body: JSON.stringify(body) });
      const answer: unknown = await response.json();
      return { status: response.status, body: answer };
    },
    /** The exchanges with a path, in order. */
    to: (path: string) => tapped.filter((exchange) => exchange.path === path),
  };
}
