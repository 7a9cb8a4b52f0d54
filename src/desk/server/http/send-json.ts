import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const compress = promisify(gzip);

/** Shorter answers fit into a packet or two anyway. */
const MIN_LENGTH = 2_000;

/**
 * Sends JSON, compressed where the browser takes it. Lengths of compressed answers can give a token away to a site that
 * makes the browser ask again and again (BREACH). The cookie is `SameSite=Strict`, so other sites cannot.
 */
export async function sendJson(request: Request, response: Response, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  response.type('json').vary('accept-encoding');
  if (text.length < MIN_LENGTH || request.acceptsEncodings('gzip') !== 'gzip') {
    response.send(text);
    return;
  }
  const body = await compress(text);
  response.set('content-encoding', 'gzip').send(body);
}
