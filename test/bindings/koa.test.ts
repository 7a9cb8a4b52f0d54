import { bodyParser } from '@koa/bodyparser';
import Koa from 'koa';
import { expect, it } from 'vitest';
import type { RequestListener } from '../../src/public/bindings.js';
import { botMessageBody } from '../fixtures/bodies.js';
import { inFrontOf, listen, serve } from '../helpers/serve.js';
import { makeReceiver } from '../helpers/start.js';
import { describeHost } from './cases.js';
import { BASE, inProcess } from './host.js';

function listenerOf(app: Koa): RequestListener {
  const handle = app.callback();
  return (request, response) => void handle(request, response);
}

describeHost('Koa', {
  start: inProcess((create) => {
    const app = new Koa();
    app.use(bodyParser());
    app.use((ctx) => ctx.throw(404, 'Koa has no such page'));
    return listen(inFrontOf(create(BASE), listenerOf(app)));
  }),
  notFound: 'Koa has no such page',
});

it('Koa gets requests to other paths, with their bodies', async () => {
  const { receiver, seen } = makeReceiver({ basePath: BASE });
  const app = new Koa();
  app.use(bodyParser());
  app.use((ctx) => {
    ctx.body = { got: ctx.request.body };
  });
  const { url } = await serve(inFrontOf(receiver, listenerOf(app)));
  const body = botMessageBody();
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/elsewhere`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(await answer.json()).toEqual({ got: body });
  expect(seen).toEqual([]);
});
