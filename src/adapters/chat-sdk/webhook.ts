import { settlesWithin } from '../../internal/index.js';
import {
  isRefusal,
  type ReceiverAnswer,
  type ReceiverRequest,
  type RequestHandling,
  SENDER_HUNG_UP,
} from '../../receiver/index.js';
import type { EventDelivery } from './delivery.js';
import { toAdapterError } from './errors.js';
import type { SdkWebhook } from './sdk.js';

const LIMITS = { maxBytes: 1_048_576, readTimeoutMs: 10_000 } as const;

/** Platforms wait for 3 to 60 seconds, and send a webhook again that was not answered with 2xx. */
const ANSWER_WITHIN_MS = 10_000;

/**
 * Not passed to the SDK. Its adapters for Slack and Telegram remember a webhook before they handle it, and answer 200 to a
 * repeat, also if the first attempt failed or its process died. The bridge recognises repeats by their ids.
 */
const REPEAT_HEADER = 'x-slack-retry-num';
const REPEAT_FIELDS: Readonly<Record<string, string>> = { telegram: 'update_id' };

const NOT_FORWARDED: ReadonlySet<string> = new Set([
  REPEAT_HEADER,
  'connection',
  'content-length',
  'transfer-encoding',
]);

const NO_RAW_BODY =
  'another middleware consumed the request body, so the signature cannot be verified. Mount the webhook of the adapter before express.json()';

/**
 * Creates the endpoint for the webhooks of the platform. The SDK verifies and handles them; they are answered when their
 * events are safe, which the SDK on its own does not wait for.
 */
export function createWebhook(
  platform: string,
  webhook: SdkWebhook,
  delivery: EventDelivery,
): RequestHandling {
  const handleBySdk = (request: Request): Promise<Response> =>
    delivery.inOrder(async () => {
      const tasks: Promise<unknown>[] = [];
      const response = await webhook(request, {
        waitUntil: (task) => {
          tasks.push(task);
          // Observed below; without this, a failure before then would end the process.
          task.catch(() => undefined);
        },
        deduplicate: false,
        propagateHandlerErrors: true,
      });
      // A task can add tasks.
      for (const task of tasks) await task;
      return response;
    });

  const answerTo = async (request: ReceiverRequest): Promise<ReceiverAnswer | null> => {
    const body = await readBody(request);
    if (body === null) {
      delivery.log.error({}, NO_RAW_BODY);
      return refusal(500, 'body not available');
    }
    if (body === SENDER_HUNG_UP) return null;
    if (isRefusal(body)) return refusal(body.status, body.reason);
    const handled = handleBySdk(toFetchRequest(request, withoutField(body, REPEAT_FIELDS[platform])));
    if (!(await settlesWithin(handled, ANSWER_WITHIN_MS))) {
      delivery.log.error(
        {},
        'a webhook of the Chat SDK is not handled yet; answered 503, so that the platform sends it again',
      );
      return refusal(503, 'not handled yet');
    }
    return toAnswer(await handled);
  };

  return {
    async handle(request, send) {
      try {
        const answer = await answerTo(request);
        if (answer) send(answer);
      } catch (error) {
        delivery.log.error(
          { err: toAdapterError(platform, 'handling a webhook', error) },
          'a webhook failed in the Chat SDK; answered 503, so that the platform sends it again',
        );
        send(refusal(503, 'not handled'));
      }
    },
    notFound: () => refusal(404, 'not found'),
  };
}

/** The body's bytes; `null` when another middleware consumed them and kept only a parsed body. */
async function readBody({ rawBody, parsedBody, read }: ReceiverRequest) {
  if (rawBody) return rawBody;
  if (parsedBody instanceof Uint8Array) return parsedBody;
  return read ? read(LIMITS) : null;
}

/** Telegram signs its webhooks with a header, so that the body can be changed. */
function withoutField(body: Uint8Array, field: string | undefined): Uint8Array {
  if (field === undefined) return body;
  try {
    const { [field]: _removed, ...rest } = JSON.parse(Buffer.from(body).toString('utf8'));
    return Buffer.from(JSON.stringify(rest));
  } catch {
    // The SDK refuses what is no JSON.
    return body;
  }
}

function toFetchRequest({ method, url, headers: received }: ReceiverRequest, body: Uint8Array): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (value === undefined || NOT_FORWARDED.has(name)) continue;
    for (const each of [value].flat()) headers.append(name, each);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, `https://${received.host ?? 'localhost'}`), {
    method,
    headers,
    ...(hasBody && { body: Uint8Array.from(body) }),
  });
}

async function toAnswer(response: Response): Promise<ReceiverAnswer> {
  const body = await response.text();
  return {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), 'content-length': Buffer.byteLength(body) },
    body,
  };
}

function refusal(status: number, reason: string): ReceiverAnswer {
  const body = JSON.stringify({ error: reason });
  return {
    status,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(status === 503 && { 'retry-after': '5' }),
    },
    body,
  };
}
