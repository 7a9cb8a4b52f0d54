/** The answer that the service expects. A string, since Node then sends head and body in one cheap write. */
const OK = '{"code":200,"msg":"success"}';
const HEADERS = { 'content-type': 'application/json', 'content-length': OK.length };

/**
 * The least a receiver can do: read the body, parse it, answer.
 *
 * @param {import('node:http').IncomingMessage} req
 * @param {import('node:http').ServerResponse} res
 * @param {() => void} handled
 */
export function readParseAnswer(req, res, handled) {
  /** @type {Buffer[]} */
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    handled();
    res.writeHead(200, HEADERS).end(OK);
  });
}
