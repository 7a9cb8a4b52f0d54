import { InvalidArgumentError } from 'commander';

const LARGEST_PORT = 65_535;

/** Reads a port. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= LARGEST_PORT) return port;
  throw new InvalidArgumentError('Give a whole number from 0 to 65535; 0 takes any free port.');
}

/** Reads a time such as 60s or 500ms, in milliseconds. */
export function parseTime(text: string): number {
  const [, digits, unit] = /^(\d{1,6})(ms|s)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * (unit === 's' ? 1_000 : 1);
  if (milliseconds > 0) return milliseconds;
  throw new InvalidArgumentError('Give a time with its unit, such as 60s or 500ms.');
}

/** Reads the URL of a receiver. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new InvalidArgumentError('Give an http or https URL, such as http://127.0.0.1:3000/webhook.');
  }
  if (url.username || url.password) {
    throw new InvalidArgumentError('Give credentials with --username and --secret, not in the URL.');
  }
  return url.href;
}
