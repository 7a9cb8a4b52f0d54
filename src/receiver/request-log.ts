import type { Log } from '../internal/index.js';
import type { Exchange, Outcome } from './pipeline.js';
import { SENDER_HUNG_UP } from './read-body.js';
import type { Refusal } from './refusal.js';
import { wasProbe } from './rejected-probe.js';

/** Logs one line per request: ids and outcomes, never users' words. */
export interface RequestLog {
  accepted(exchange: Exchange, outcome: Outcome): void;
  refused(exchange: Exchange, refusal: Refusal): void;
}

const REJECTED_PROBE =
  'an availability probe was refused for its credentials: the platform now shows this webhook as unreachable. Give the platform the credentials of this endpoint, or let probes in without any: probes: { auth: "none" }';

/** Creates a {@link RequestLog}. */
export function createRequestLog(log: Log, maxDepth: number): RequestLog {
  const fieldsOf = ({ requestId, route, receivedAt }: Exchange) => ({
    requestId,
    endpoint: route.endpoint,
    ms: Date.now() - receivedAt,
  });

  return {
    accepted(exchange, outcome) {
      if (log.isLevelEnabled?.('info') === false) return;
      if (outcome.kind === 'probe') return log.info(fieldsOf(exchange), 'probe answered');
      const { event, acceptance } = outcome;
      log.info(
        { ...fieldsOf(exchange), event: event.name, conversationId: event.conversationId, acceptance },
        'event',
      );
    },
    refused(exchange, refusal) {
      const line = {
        ...fieldsOf(exchange),
        status: refusal.status,
        reason: refusal.reason,
        detail: refusal.detail,
      };
      if (refusal === SENDER_HUNG_UP) return log.debug(line, 'request refused');
      if (refusal.status !== 401) return log.warn(line, 'request refused');
      void wasProbe(exchange.request, maxDepth).then((probe) =>
        log.warn(line, probe ? REJECTED_PROBE : 'request refused'),
      );
    },
  };
}
