import { serve } from '../helpers/serve.js';

/** Serves knowledge files until the test ends; other paths are answered 404. */
export async function fileServer(files: Readonly<Record<string, string>>): Promise<(path: string) => string> {
  const { url } = await serve((request, response) => {
    const text = files[request.url ?? ''];
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(text);
  });
  return (path) => url + path;
}
