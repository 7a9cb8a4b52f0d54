import { configError } from '../internal/index.js';

/** Where the service is: its origin and the path prefix below it, without a slash at the end. */
export function readBaseUrl(baseUrl: unknown): { readonly origin: string; readonly prefix: string } {
  if (typeof baseUrl !== 'string' || baseUrl.trim() === '') {
    throw configError(
      'baseUrl is missing: give the address of the service, such as https://api.example.com. ' +
        'There is no default, because it depends on the data centre your agent lives in.',
    );
  }
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw configError('baseUrl must be a full http or https address, such as https://api.example.com.');
  }
  if (url.username !== '' || url.password !== '') {
    throw configError('baseUrl must not hold a user name or a password: give the key as apiKey instead.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw configError('baseUrl must not have a query or a fragment: leave out what follows "?" or "#".');
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** An API key that can be put into a header as it is. The error says what is in the way, not what the key is. */
export function readApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || apiKey === '') {
    throw configError('apiKey is missing: copy it from the API key page of your agent.');
  }
  if (/[\r\n]/.test(apiKey)) {
    throw configError('apiKey has a line break in it: it was probably pasted along with the key. Remove it.');
  }
  if (/^bearer\s/i.test(apiKey)) {
    throw configError('apiKey begins with the word "Bearer": give the key alone.');
  }
  if (/\s/.test(apiKey)) {
    throw configError('apiKey has a space or a tab in it: copy the key again, without what surrounds it.');
  }
  if (/[^\x21-\x7e]/.test(apiKey)) {
    throw configError('apiKey has a character in it that no header can carry: copy the key again.');
  }
  return apiKey;
}
