import type { TrafficLog } from '../traffic.js';

/** Fetches a file as text, or throws an error that says what is wrong with it. */
export type FetchFile = (url: string) => Promise<string>;

/** Makes the fetcher: http and https only, at most `maxBytes`, within `timeoutMs` of real time. */
export function createFetchFile(options: {
  traffic: TrafficLog;
  signal: AbortSignal;
  maxBytes: number;
  timeoutMs: number;
}): FetchFile {
  const { traffic, maxBytes } = options;
  return async (url) => {
    if (!/^https?:/i.test(url)) throw new Error('only http and https URLs are fetched');
    const exchange = traffic.open({ direction: 'sent', what: 'file', method: 'GET', url, headers: {} });
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(options.timeoutMs), options.signal]);
      const response = await fetch(url, { signal });
      const bytes = await readBytes(response, maxBytes);
      exchange.answered(response.status, Object.fromEntries(response.headers), `${bytes.length} bytes`);
      if (!response.ok) throw new Error(`answered with status ${response.status}`);
      return decode(bytes);
    } catch (error) {
      exchange.failed(error instanceof Error ? error.message : 'failed');
      throw error;
    }
  };
}

async function readBytes(response: Response, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | Uint8Array[] = response.body ?? [];
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Text is UTF-8 without NUL; anything else is a picture, an archive or the like. */
function decode(bytes: Uint8Array): string {
  if (bytes.includes(0)) throw new Error('not a text file');
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}
