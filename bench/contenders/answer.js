/** The answer that the platform expects. A string, because Node then writes head and body at once. */
const OK = '{"code":200,"msg":"success"}';
const HEADERS = { 'content-type': 'application/json', 'content-length': OK.length };

/**
 * The minimum of a receiver: reads the body, parses it, answers.
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
