import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import type { LambdaEventV1, LambdaEventV2, LambdaHandler } from '../../src/bindings/lambda.js';
import { listen } from '../helpers/serve.js';

/** A whole request: a gateway reads the body before it calls the function. */
export interface GatewayRequest {
  readonly method: string;
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly sourceIp: string;
  readonly body: Buffer;
}

export type ToEvent = (request: GatewayRequest) => LambdaEventV1 | LambdaEventV2;

const pairsOf = (rawHeaders: readonly string[]): [string, string][] =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ''] as [string, string]] : [],
  );

/** A gateway passes text bodies unchanged, and encodes binary media types. */
const bodyOf = (body: Buffer, isBase64Encoded: boolean) => ({
  body: body.toString(isBase64Encoded ? 'base64' : 'utf8'),
  isBase64Encoded,
});

/** Format 1.0, as REST APIs send it: names as received, the last value and all values. */
export const toEventV1 = (
  { method, url, rawHeaders, sourceIp, body }: GatewayRequest,
  isBase64Encoded = false,
): APIGatewayProxyEvent => {
  const headers: Record<string, string> = {};
  const multiValueHeaders: Record<string, string[]> = {};
  for (const [name, value] of pairsOf(rawHeaders)) {
    headers[name] = value;
    multiValueHeaders[name] = [...(multiValueHeaders[name] ?? []), value];
  }
  const { pathname, searchParams } = new URL(url, 'http://gateway.example');
  return {
    resource: '/{proxy+}',
    path: pathname,
    httpMethod: method,
    headers,
    multiValueHeaders,
    queryStringParameters: Object.fromEntries(searchParams),
    multiValueQueryStringParameters: null,
    pathParameters: { proxy: pathname.slice(1) },
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdef1234',
      authorizer: null,
      protocol: 'HTTP/1.1',
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp,
        user: null,
        userAgent: null,
        userArn: null,
      },
      path: `/prod${pathname}`,
      stage: 'prod',
      requestId: 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef',
      requestTimeEpoch: 1_583_348_638_390,
      resourceId: 'abc123',
      resourcePath: '/{proxy+}',
    },
    ...(body.length === 0 ? { body: null, isBase64Encoded: false } : bodyOf(body, isBase64Encoded)),
  };
};

/** Format 2.0, as HTTP APIs and function URLs send it: names in lower case, several values joined by commas. */
export const toEventV2 = (
  { method, url, rawHeaders, sourceIp, body }: GatewayRequest,
  { isBase64Encoded = false, stage = '$default' } = {},
): APIGatewayProxyEventV2 => {
  const headers: Record<string, string> = {};
  for (const [name, value] of pairsOf(rawHeaders)) {
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]},${value}`;
  }
  const [path = '/', rawQueryString = ''] = url.split('?');
  const rawPath = stage === '$default' ? path : `/${stage}${path}`;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    headers,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdef1234',
      domainName: 'abcdef1234.execute-api.eu-central-1.amazonaws.com',
      domainPrefix: 'abcdef1234',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp, userAgent: 'platform' },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: '$default',
      stage,
      time: '10/Mar/2020:05:16:23 +0000',
      timeEpoch: 1_583_817_383_220,
    },
    ...(body.length === 0 ? { isBase64Encoded: false } : bodyOf(body, isBase64Encoded)),
  };
};

/** A gateway on loopback that calls a handler as Lambda does, and sends its result. */
export function serveGateway(handler: LambdaHandler, toEvent: ToEvent) {
  return listen((request, response) => {
    void (async () => {
      const body = await readAll(request);
      if (body === null) return;
      const { method = '', url = '/', rawHeaders, socket } = request;
      const event = toEvent({ method, url, rawHeaders, sourceIp: socket.remoteAddress ?? '', body });
      // Events and results cross a process boundary as JSON.
      const result = await handler(JSON.parse(JSON.stringify(event)), { awsRequestId: 'aws-request' });
      const { statusCode, headers, multiValueHeaders = {}, body: text } = JSON.parse(JSON.stringify(result));
      response.writeHead(statusCode, { ...headers, ...multiValueHeaders }).end(text);
    })();
  });
}

async function readAll(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return null;
  }
}
