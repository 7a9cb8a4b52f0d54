/**
 * A receiver on AWS Lambda, behind API Gateway or a function URL.
 *
 * @module
 */
import { configError } from '../internal/index.js';
import type { Receiver, ReceiverAnswer, ReceiverRequest } from '../receiver/index.js';

/** The used part of an event from a REST API, or from an HTTP API with payload format 1.0. */
export interface LambdaEventV1 {
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>> | null;
  readonly multiValueHeaders: Readonly<Record<string, string[] | undefined>> | null;
  readonly body: string | null;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly identity: { readonly sourceIp: string } };
}

/** The used part of an event from a function URL, or from an HTTP API with payload format 2.0. */
export interface LambdaEventV2 {
  readonly version: string;
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
  readonly requestContext: {
    readonly stage: string;
    readonly http: { readonly method: string; readonly sourceIp: string };
  };
}

export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly body: string;
}

/** Handles events from API Gateway and function URLs. */
export type LambdaHandler = (
  event: LambdaEventV1 | LambdaEventV2,
  context?: { readonly awsRequestId: string },
) => Promise<LambdaResult>;

const NOT_FOUND: ReceiverAnswer = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: '{"code":404,"msg":"not found"}',
};

/**
 * Creates a Lambda handler. It resolves when all work has finished, even after the answer, because Lambda then freezes
 * the process. For the same reason, stored events need another process: use `postgres({ storeOnly: true })` here.
 *
 * @example
 * export const handler = lambdaHandler(receiver);
 */
export function lambdaHandler(receiver: Receiver): LambdaHandler {
  if (receiver.storage.database?.dialect === 'sqlite') {
    throw configError(
      "lambdaHandler does not take a receiver with SQLite: a function's files are lost with its instance, and a frozen process handles no stored events. Use postgres({ storeOnly: true }) and a process elsewhere that handles them, or inline delivery.",
    );
  }
  return async (event, context) => {
    if (receiver.storage.database && receiver.started) {
      throw configError(
        'a receiver that handles stored events was started on Lambda, where its process is frozen between requests. Do not call receiver.start() there, set postgres({ storeOnly: true }), and start a receiver elsewhere.',
      );
    }
    let answer = NOT_FOUND;
    await receiver.handle(toReceiverRequest(event, context?.awsRequestId), (given) => {
      answer = given;
    });
    return toResult(answer, isV2(event));
  };
}

const isV2 = (event: LambdaEventV1 | LambdaEventV2): event is LambdaEventV2 => 'rawPath' in event;

function toReceiverRequest(event: LambdaEventV1 | LambdaEventV2, awsRequestId?: string): ReceiverRequest {
  const { isBase64Encoded, body } = event;
  const headers = valuesByName(
    isV2(event) ? event.headers : (event.multiValueHeaders ?? event.headers ?? {}),
  );
  return {
    ...(isV2(event)
      ? {
          method: event.requestContext.http.method,
          url: withoutStage(event),
          remoteAddress: event.requestContext.http.sourceIp,
        }
      : {
          method: event.httpMethod,
          url: event.path,
          remoteAddress: event.requestContext.identity.sourceIp,
        }),
    headers: Object.fromEntries([...headers].map(([name, values]) => [name, values.join(', ')])),
    hasRepeatedAuthorization: (headers.get('authorization')?.length ?? 0) > 1,
    // Prefer the sender's id: Lambda's id is in every line of the function's log anyway.
    id: headers.get('x-request-id')?.[0] ?? awsRequestId,
    read: () => Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** All values of each header. Format 1.0 keeps the case of names. */
function valuesByName(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value = []] of Object.entries(headers)) {
    const key = name.toLowerCase();
    byName.set(key, [...(byName.get(key) ?? []), ...[value].flat()]);
  }
  return byName;
}

/** An HTTP API includes its stage in the path, unless it is the default stage. */
function withoutStage({ rawPath, requestContext: { stage } }: LambdaEventV2): string {
  return `${rawPath}/`.startsWith(`/${stage}/`) ? rawPath.slice(stage.length + 1) : rawPath;
}

/** Format 2.0 has one value per header; format 1.0 may have several. The gateway itself manages the connection. */
function toResult({ status, headers, body }: ReceiverAnswer, isJoined: boolean): LambdaResult {
  const all = Object.entries(headers).filter(([name]) => name !== 'connection');
  const listed = all.map(([name, value]) => [name, [value].flat().map(String)] as const);
  const single = listed.filter(([, values]) => isJoined || values.length === 1);
  const several = listed.filter(([, values]) => !isJoined && values.length > 1);
  return {
    statusCode: status,
    headers: Object.fromEntries(single.map(([name, values]) => [name, values.join(', ')])),
    ...(several.length > 0 && { multiValueHeaders: Object.fromEntries(several) }),
    body,
  };
}
