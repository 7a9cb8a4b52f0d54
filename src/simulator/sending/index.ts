/**
 * A side door: what the simulator sends, and how, without the service that it hosts. That one is a web server, which
 * whoever only sends does not load.
 *
 * @module
 */
export { agentMessageBody, chatBody, closeBody, establishBody, probeBody } from './bodies.js';
export {
  credentialHeaders,
  handoffUrl,
  type JsonPostRequest,
  type JsonPostResult,
  postJson,
  type WebhookCredentials,
} from './post.js';
