/**
 * Reads a body and parses it as JSON.
 *
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<any>}
 */
export function readJson(request) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('error', reject);
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
  });
}

const OK = Buffer.from('{"success":true}');

/** Answers 200. */
export function succeed(/** @type {import('node:http').ServerResponse} */ response) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': OK.length });
  response.end(OK);
}

/** Answers 503 and prints the error. */
export function fail(
  /** @type {import('node:http').ServerResponse} */ response,
  /** @type {unknown} */ error,
) {
  console.error(error);
  response.writeHead(503).end();
}
