import express, { type RequestHandler } from 'express';
import express4 from 'express4';
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
