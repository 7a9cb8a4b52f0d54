// @ts-nocheck: its package is installed for the benchmark alone.
import { createServer } from 'node:http';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';
import { credentials } from '../requests.js';

const ignore = () => {};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** Mounted as in its documentation. @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const webhooks = new Webhooks({ secret: credentials.signingSecret, log: silent });
  webhooks.on('issue_comment.created', async ({ payload }) => handled(payload.comment.body));
  const respond = createNodeMiddleware(webhooks, { path: '/webhook', log: silent });
  return createServer((req, res) => void respond(req, res));
}
