import type { Logger } from 'pino';
import { type HttpLogger, pinoHttp, type StdSerializedResults } from 'pino-http';
import { createRequestIds } from '../receiver/index.js';
import { HEALTH_PATHS } from './health.js';
import { createHideInUrl } from './hide-in-url.js';

/**
 * One line a request, with an id that is also `req.id`, the receiver's request id and the answer's
 * `X-Request-Id`. Headers are not written at all: what is not there needs no hiding.
 *
 * Lines are `info` whatever the status, since whoever refuses a request says why in a warning of its own.
 */
export function createHttpLog(log: Logger, mountPath: string): HttpLogger {
  const requestIdOf = createRequestIds();
  const hideInUrl = createHideInUrl(mountPath);
  return pinoHttp({
    logger: log,
    genReqId(request, response) {
      const id = requestIdOf(request);
      response.setHeader('x-request-id', id);
      return id;
    },
    customLogLevel: ({ url = '' }) => (HEALTH_PATHS.includes(url) ? 'debug' : 'info'),
    serializers: {
      req: ({ id, method, url, remoteAddress }: StdSerializedResults['req']) => ({
        id,
        method,
        url: hideInUrl(url),
        remoteAddress,
      }),
      res: ({ statusCode }: StdSerializedResults['res']) => ({ statusCode }),
    },
    customSuccessMessage: () => 'request answered',
    customErrorMessage: ({ aborted }) => (aborted ? 'request aborted' : 'request answered'),
    customErrorObject: (_request, response, _error, { responseTime }: { responseTime: number }) => ({
      res: response,
      responseTime,
    }),
  });
}
