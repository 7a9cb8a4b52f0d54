import { readFileSync } from 'node:fs';
import type { APIGatewayProxyHandler, APIGatewayProxyHandlerV2, LambdaFunctionURLHandler } from 'aws-lambda';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { lambdaHandler } from '../../src/bindings/lambda.js';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { createReceiver, inline, noAuth } from '../../src/public/index.js';
import { botMessageBody, chatBody, establishBody } from '../fixtures/bodies.js';
import { deferred } from '../helpers/deferred.js';
import { fakePlatform } from '../helpers/fake-platform.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { makeReceiver } from '../helpers/start.js';
import { type GatewayRequest, serveGateway, type ToEvent, toEventV1, toEventV2 } from './api-gateway.js';
import { describeHost } from './cases.js';
import { BASE, inProcess, type Mount, parser } from './host.js';

const gateway =
  (toEvent: ToEvent): Mount =>
  (create) =>
    serveGateway(lambdaHandler(create(BASE)), toEvent);

describeHost('Lambda, payload 1.0 (REST API)', {
  start: inProcess(gateway((request) => toEventV1(request))),
  parsers: {
    'a gateway that encodes it': parser(
      true,
      gateway((request) => toEventV1(request, true)),
    ),
  },
  notFound: '{"code":404,"msg":"not found"}',
  answersLast: true,
});

describeHost('Lambda, payload 2.0 (HTTP API, function URL)', {
  start: inProcess(gateway((request) => toEventV2(request, { isBase64Encoded: true }))),
  parsers: {
    'a gateway that does not encode it': parser(
      true,
      gateway((request) => toEventV2(request)),
    ),
    'a gateway with a named stage': parser(
      true,
      gateway((request) => toEventV2(request, { stage: 'prod' })),
    ),
  },
  notFound: '{"code":404,"msg":"not found"}',
  answersLast: true,
});

const requestOf = (url: string, body: object): GatewayRequest => ({
  method: 'POST',
  url,
  rawHeaders: ['Content-Type', 'application/json'],
  sourceIp: '203.0.113.7',
  body: Buffer.from(JSON.stringify(body)),
});

describe('a Lambda handler', () => {
  it('resolves when the work after the answer has finished', async () => {
    const platform = await fakePlatform();
    const { receiver } = makeReceiver({ platform: platform.options, greeting: 'One moment, please.' });
    await lambdaHandler(receiver)(toEventV2(requestOf('/conversation/establish', establishBody())));
    expect(platform.calls.map(({ body }) => body)).toMatchObject([{ body: 'One moment, please.' }]);
  });

  it('waits for a handler that outlasts the acknowledgement deadline', async () => {
    const { receiver, logged } = makeReceiver({ delivery: inline({ ackDeadlineMs: 1 }) });
    const going = deferred();
    const steps: string[] = [];
    receiver.on('handoff.message', async () => {
      await going.promise;
      steps.push('handled');
    });
    const answered = lambdaHandler(receiver)(toEventV2(requestOf('/chat', chatBody()))).then(() =>
      steps.push('answered'),
    );
    await logged.until('handlers are still running');
    going.resolve();
    await answered;
    expect(steps).toEqual(['handled', 'answered']);
  });

  it("logs with the function's request id", async () => {
    const { receiver, seen } = makeReceiver();
    const event = toEventV2(requestOf('/', botMessageBody()));
    const result = await lambdaHandler(receiver)(event, { awsRequestId: 'aws-1' });
    expect(result.headers['x-request-id']).toBe('aws-1');
    expect(seen[0]?.requestId).toBe('aws-1');
  });

  it.each(['/prod', '/prod/', '/prod/chat'])(
    'finds the path below the stage of an HTTP API: %s',
    async (rawPath) => {
      const { receiver, seen } = makeReceiver();
      const body = rawPath.endsWith('chat') ? chatBody() : botMessageBody();
      const event = { ...toEventV2(requestOf('/', body), { stage: 'prod' }), rawPath };
      expect((await lambdaHandler(receiver)(event)).statusCode).toBe(200);
      expect(seen).toHaveLength(1);
    },
  );

  it('refuses SQLite, with the reason', async () => {
    const receiver = createReceiver({
      auth: { message: noAuth(), handoff: noAuth() },
      delivery: sqlite({ file: `${await temporaryFolder()}/x.db` }),
      log: false,
    });
    expect(() => lambdaHandler(receiver)).toThrow(/frozen process handles no stored events/);
    await receiver.close();
  });

  it('has the handler type of each payload format', () => {
    const handler = lambdaHandler(makeReceiver().receiver);
    expectTypeOf(handler).toExtend<APIGatewayProxyHandler>();
    expectTypeOf(handler).toExtend<APIGatewayProxyHandlerV2>();
    expectTypeOf(handler).toExtend<LambdaFunctionURLHandler>();
  });

  it.each(['rest-api', 'http-api-1.0', 'http-api-2.0', 'function-url'])(
    'reads the event that AWS documents for a %s',
    async (name) => {
      const file = new URL(`../fixtures/lambda/${name}.json`, import.meta.url);
      const event = JSON.parse(readFileSync(file, 'utf8'));
      const { receiver, seen } = makeReceiver({ basePath: '/my/path' });
      const result = await lambdaHandler(receiver)(event);
      expect(result).toEqual({
        statusCode: 200,
        headers: {
          'content-type': 'application/json',
          'content-length': '28',
          'x-request-id': expect.any(String),
        },
        body: '{"code":200,"msg":"success"}',
      });
      expect(seen).toMatchObject([{ event: 'message', conversationId: `conversation of ${name}` }]);
    },
  );
});
