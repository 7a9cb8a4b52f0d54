import type { RequestListener } from '../../src/public/bindings.js';
import { listen } from '../helpers/serve.js';
import { describeHost } from './cases.js';
import { BASE, inProcess, parser } from './host.js';

/** Reads the body first, and keeps it as `rawBody` or as parsed `body`, as some hosting platforms do. */
const readFirst =
  (listener: RequestListener, keep: (bytes: Buffer) => object): RequestListener =>
  (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => listener(Object.assign(request, keep(Buffer.concat(chunks))), response));
  };

describeHost('node:http', {
  start: inProcess((create) => listen(create(BASE))),
  parsers: {
    'a reader that keeps rawBody': parser(true, (create) =>
      listen(readFirst(create(BASE), (rawBody) => ({ rawBody }))),
    ),
    'a reader that keeps the parsed body': parser(false, (create) =>
      listen(readFirst(create(BASE), (bytes) => ({ body: JSON.parse(bytes.toString()) }))),
    ),
  },
  notFound: '{"code":404,"msg":"not found"}',
});
