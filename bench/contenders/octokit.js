import { createServer } from 'node:http';
import { createNodeMiddleware, Webhooks } from '@octokit/webhooks';
import { credentials } from '../requests.js';

const ignore = () => {};
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** As its documentation mounts it on node:http. @type {import('./index.js').CreateServer} */
export function create({ handled }) {
  const webhooks = new Webhooks({ secret: credentials.signingSecret, log: silent });
  webhooks.on('issue_comment.created', async () => handled());
  const respond = createNodeMiddleware(webhooks, { path: '/webhook', log: silent });
  return createServer((req, res) => void respond(req, res));
}
