import type { Logger } from 'pino';
import { type HttpLogger, pinoHttp, type StdSerializedResults } from 'pino-http';
import { REDACTED } from '../internal/index.js';
import { createRequestIds } from '../receiver/index.js';
import { HEALTH_PATHS } from './settings/setting-forms.js';

/**
 * Writes one line per request. Its id is also `req.id`, the receiver's request id and the answer's `X-Request-Id`.
 * Headers are never written, so none needs redaction.
 *
 * The level is `info` for every status: the code that refuses a request logs the reason as a warning.
 */
export function createHttpLog(log: Logger, mountPath: string): HttpLogger {
  const requestIdOf = createRequestIds();
  const redactUrl = createUrlRedaction(mountPath);
  return pinoHttp({
    logger: log,
    genReqId(request, response) {
      const id = requestIdOf(request.id, request.headers);
      response.setHeader('x-request-id', id);
      return id;
    },
    customLogLevel: ({ url = '' }) => (HEALTH_PATHS.includes(url) ? 'debug' : 'info'),
    serializers: {
      req: ({ id, method, url, remoteAddress }: StdSerializedResults['req']) => ({
        id,
        method,
        url: redactUrl(url),
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

/** The minimum length of a path token. Shorter segments cannot be one. */
const MIN_TOKEN_LENGTH = 16;

/**
 * Creates a function that redacts URLs for the log: it drops the query and every path segment that could be a token,
 * mistyped or misplaced ones included. Segments of the mount path stay.
 */
export function createUrlRedaction(mountPath: string): (url: string) => string {
  const mountSegments = new Set(mountPath.split('/'));
  return (url) => {
    const [path = ''] = url.split(/[?#]/, 1);
    const redacted = path
      .split('/')
      .map((segment) =>
        segment.length < MIN_TOKEN_LENGTH || mountSegments.has(segment) ? segment : REDACTED,
      )
      .join('/');
    return path.length === url.length ? redacted : `${redacted}?${REDACTED}`;
  };
}
