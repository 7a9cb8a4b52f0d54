import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import express4 from 'express4';
import { expect, it } from 'vitest';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { botMessageBody } from '../fixtures/bodies.js';
import { listen } from '../helpers/serve.js';
import { describeHost } from './cases.js';
import { BASE, inProcess, type Mount, parser } from './host.js';
import type { HostName } from './matrix.js';

describe5and4('Express 5', express);
describe5and4('Express 4', express4);

function describe5and4(name: HostName, kit: typeof express): void {
  const behind =
    (...before: RequestHandler[]): Mount =>
    (create) => {
      const app = kit();
      for (const handler of before) app.use(handler);
      return listen(app.use(BASE, create()));
    };
  const keepRawBody = kit.json({
    verify: (request, _response, rawBody) => {
      Object.assign(request, { rawBody });
    },
  });

  describeHost(name, {
    start: inProcess(behind()),
    parsers: {
      'express.json()': parser(false, behind(kit.json())),
      'express.json() that keeps rawBody': parser(true, behind(keepRawBody)),
      'express.text()': parser(true, behind(kit.text({ type: '*/*' }))),
      'express.raw()': parser(true, behind(kit.raw({ type: '*/*' }))),
    },
    notFound: 'Cannot POST /webhook/unknown',
  });
}

it("a body parser before the receiver has its own limit, which can be raised to the receiver's", async () => {
  const statuses = async (...before: RequestHandler[]): Promise<number[]> => {
    const app = express();
    for (const handler of before) app.use(handler);
    const auth = { message: noAuth(), handoff: false } as const;
    app.use(createReceiver({ auth, log: false }).on('message', () => {}));
    app.use(((error, _request, response, _next) => response.sendStatus(error.status)) as ErrorRequestHandler);
    const server = await listen(app);
    const send = async (characters: number): Promise<number> => {
      const body = botMessageBody({ output: [{ content: { text: 'x'.repeat(characters) } }] });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    const answers = [await send(90_000), await send(200_000), await send(300_000)];
    await server.end();
    return answers;
  };
  expect(await statuses()).toEqual([200, 200, 413]);
  expect(await statuses(express.json())).toEqual([200, 413, 413]);
  expect(await statuses(express.json({ limit: '256kb' }))).toEqual([200, 200, 413]);
});
