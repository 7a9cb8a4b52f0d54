import { onTestFinished } from 'vitest';

/** Sends the requests of this process for one address to another, where a fake listens, until the test ends. */
export function redirectFetch(from: string, to: string): void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : input.toString();
    return original(url.startsWith(from) ? url.replace(from, to) : input, init);
  };
  onTestFinished(() => {
    globalThis.fetch = original;
  });
}

/** The environment of a child process whose requests for one address go to another. */
export function redirectedFetch(from: string, to: string): { readonly NODE_OPTIONS: string } {
  const code = `const original = globalThis.fetch;
    globalThis.fetch = (url, init) => original(String(url).replace('${from}', '${to}'), init);`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
