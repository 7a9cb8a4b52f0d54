import { expect, onTestFinished } from 'vitest';
import { createPlatformClient } from '../../src/public/client.js';
import { pathToken, type ReceiverOptions, webhookUser } from '../../src/public/index.js';
import { createManualClock, createSimulator, type SimulatorOptions } from '../../src/simulator/index.js';
import { PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { serve } from '../helpers/serve.js';
import { makeReceiver } from '../helpers/start.js';
import { createOpenApiValidator } from './openapi-validator.js';
import { type ProxiedExchange, startRecordingProxy } from './recording-proxy.js';

export const API_KEY = 'api-key-of-bot-1';

const validator = createOpenApiValidator();

/**
 * Starts simulator, receiver and client with a recording proxy in both directions. At the end of the test, every
 * exchange is validated against openapi.json.
 */
export async function startIntegration({
  simulator: simulatorOptions = {},
  receiver: receiverOptions = {},
}: {
  simulator?: SimulatorOptions;
  receiver?: Partial<ReceiverOptions>;
} = {}) {
  const exchanges: ProxiedExchange[] = [];
  const record = (exchange: ProxiedExchange) => {
    exchanges.push(exchange);
  };
  const clock = createManualClock();
  const simulator = createSimulator({ clock, ...simulatorOptions });
  const direct = await simulator.listen();
  const toPlatform = await startRecordingProxy(direct, record);
  const platform = { baseUrl: toPlatform.url, apiKey: API_KEY, retry: false } as const;

  const { receiver, seen } = makeReceiver({
    auth: { message: webhookUser({ username: USERNAME, secret: SECRET }), handoff: pathToken(PATH_TOKEN) },
    platform,
    ...receiverOptions,
  });
  const served = await serve(receiver);
  const toReceiver = await startRecordingProxy(served.url, record);
  simulator.bots.add({
    id: 'bot-1',
    apiKey: API_KEY,
    message: { url: `${toReceiver.url}/`, username: USERNAME, secret: SECRET },
    humanServices: [
      { componentId: 'desk', componentName: 'The desk', url: `${toReceiver.url}/${PATH_TOKEN}` },
    ],
  });

  onTestFinished(async () => {
    await simulator.idle();
    await receiver.close();
    await Promise.all([toPlatform.end(), toReceiver.end(), simulator.close()]);
    expect(exchanges.flatMap(validator.violations)).toEqual([]);
  });

  return {
    simulator,
    clock,
    receiver,
    seen,
    exchanges,
    client: createPlatformClient(platform),
    /** The simulator's address without the proxy, for exchanges that violate openapi.json. */
    direct,
    receiverUrl: toReceiver.url,
    /** A client with another key. */
    clientWith: (apiKey: string) => createPlatformClient({ ...platform, apiKey }),
    /** Calls the simulator without client and proxy. */
    raw: async (method: string, path: string, body: unknown) => {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' };
      const response = await fetch(direct + path, { method, headers, body: JSON.stringify(body) });
      const answer: unknown = await response.json();
      return { status: response.status, body: answer };
    },
    /** The recorded exchanges with a path, in order. */
    exchangesWith: (path: string) => exchanges.filter((exchange) => exchange.path === path),
  };
}
