/** Credentials as the service would have them. */
export const USERNAME = 'agent-hook';
export const SECRET = 'S3cret-of-the-webhook';
export const BEARER_TOKEN = 'T0ken-of-the-bearer';
export const PATH_TOKEN = 'p4th-token-0123456789abcdef';

/** The header of HTTP Basic. */
export const basicHeader = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
