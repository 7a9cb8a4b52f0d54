/** Why there is no answer, as far as `fetch` says. */
export interface ConnectionFailure {
  /** `unreachable`: nothing was sent. `untrusted`: nor will it be, until a certificate changes. `lost`: who knows. */
  readonly kind: 'unreachable' | 'untrusted' | 'lost';
  /** The error code of the system or of Node, or `null`. */
  readonly errorCode: string | null;
}

/** No connection came about, so no byte of the request was sent. */
const NEVER_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Codes such as ETIMEDOUT occur before and after a connection stands; the system call tells which it was. */
const CONNECTING_CALLS: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);

/** TLS ended before the request: the certificate was not accepted, or the other side does not speak TLS. */
const UNTRUSTED =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|ERR_SSL_WRONG_VERSION_NUMBER)/;

/** A code as systems write it. Anything else might carry more than a code, and is not passed on. */
const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/** Deeper chains of causes are not looked into. */
const DEEPEST_CAUSE = 5;

/** Reads what `fetch` threw, and keeps nothing of it but a code. */
export function readConnectionFailure(error: unknown): ConnectionFailure {
  const found = codedCause(error);
  if (!found) return { kind: 'lost', errorCode: null };
  if (UNTRUSTED.test(found.code)) return { kind: 'untrusted', errorCode: found.code };
  const unsent = NEVER_CONNECTED.has(found.code) || CONNECTING_CALLS.has(found.syscall);
  return { kind: unsent ? 'unreachable' : 'lost', errorCode: found.code };
}

function codedCause(error: unknown): { code: string; syscall: unknown } | null {
  let current = error;
  for (let depth = 0; depth < DEEPEST_CAUSE; depth += 1) {
    if (typeof current !== 'object' || current === null) return null;
    const { code, syscall, cause } = current as { code?: unknown; syscall?: unknown; cause?: unknown };
    if (typeof code === 'string' && CODE.test(code)) return { code, syscall };
    current = cause;
  }
  return null;
}
