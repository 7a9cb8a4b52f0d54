import { timingSafeEqual } from 'node:crypto';
import { credentials } from '../requests.js';

const { username, secret } = credentials;
const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`);

/** Whether a header has the credentials of the hand-written receivers. */
export function authorized(/** @type {string | undefined} */ header) {
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
