import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { botField, DEFAULT_BOT } from '../events/index.js';
import type { Log } from '../internal/index.js';
import { isProbe } from '../protocol/index.js';
import { isRefusal, type Refusal } from './answer.js';
import { decodeBody, PROBE_LIMITS, parseJson, readBody, SENDER_HUNG_UP } from './body.js';
import type { Exchange, Outcome } from './receive.js';
import type { ReceiverRequest } from './request.js';

/** Logs one line per request: ids and outcomes, never users' words. */
export interface RequestLog {
  accepted(exchange: Exchange, outcome: Outcome): void;
  /** Looks at the body of a request that was refused for its credentials. */
  refused(exchange: Exchange, refusal: Refusal): Promise<void>;
}

const REJECTED_PROBE =
  'an availability probe was refused for its credentials: the platform now shows this webhook as unreachable. Give the platform the credentials of this endpoint, or let probes in without any: probes: { auth: "none" }';

export function createRequestLog(log: Log, maxDepth: number): RequestLog {
  const fieldsOf = ({ requestId, route, receivedAt }: Exchange, bot: string | null = null) => ({
    requestId,
    endpoint: route.endpoint,
    ...botField(bot ?? route.bot ?? DEFAULT_BOT),
    ms: Date.now() - receivedAt,
  });

  return {
    accepted(exchange, outcome) {
      if (log.isLevelEnabled?.('info') === false) return;
      if (outcome.kind === 'probe') return log.info(fieldsOf(exchange, outcome.bot), 'probe answered');
      const { event, acceptance } = outcome;
      log.info(
        {
          ...fieldsOf(exchange, event.bot),
          event: event.name,
          conversationId: event.conversationId,
          acceptance,
        },
        'event',
      );
    },
    async refused(exchange, refusal) {
      const line = {
        ...fieldsOf(exchange),
        status: refusal.status,
        reason: refusal.reason,
        detail: refusal.detail,
      };
      if (refusal === SENDER_HUNG_UP) return log.debug(line, 'request refused');
      const isRejectedProbe = refusal.status === 401 && (await isProbeRequest(exchange.request, maxDepth));
      log.warn(line, isRejectedProbe ? REJECTED_PROBE : 'request refused');
    },
  };
}

/** Other ids from outside are ignored. */
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

const isAcceptable = (id: unknown): id is string => typeof id === 'string' && ACCEPTABLE.test(id);

/**
 * Gives each request an id: the one that the application has given it, such as `req.id` of a logger, the one that the sender or a
 * proxy sent (`X-Request-Id`), or a new one.
 */
export function createRequestIds(): (given: unknown, headers: IncomingHttpHeaders) => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return (given, headers) => {
    const known = typeof given === 'number' ? String(given) : given;
    if (isAcceptable(known)) return known;
    const sent = headers['x-request-id'];
    if (isAcceptable(sent)) return sent;
    count += 1;
    return `${prefix}-${count}`;
  };
}

/**
 * Whether a request that was refused for its credentials was an availability probe: the operator needs to know, since
 * the platform now shows the webhook as unreachable. Read after the answer, for the log alone.
 */
async function isProbeRequest(request: ReceiverRequest, maxDepth: number): Promise<boolean> {
  const body = await readBody(request, PROBE_LIMITS);
  const read = isRefusal(body) ? body : decodeBody(body);
  if (isRefusal(read)) return false;
  const json = parseJson(read, maxDepth);
  return !isRefusal(json) && isProbe(json);
}
