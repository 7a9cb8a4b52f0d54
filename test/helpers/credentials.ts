/** Credentials of the receivers in tests. */
export const USERNAME = 'bot-hook';
export const SECRET = 'S3cret-of-the-webhook';
export const BEARER_TOKEN = 'T0ken-of-the-bearer';
export const PATH_TOKEN = 'p4th-token-0123456789abcdef';

/** The value of an HTTP Basic `Authorization` header. */
export const basicHeader = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
