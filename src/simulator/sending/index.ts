/**
 * The simulator's request bodies, credentials and HTTP client. The CLI and the doctor import only this, so that they do
 * not load Express.
 *
 * @module
 */
export { botMessageBody, chatBody, closeBody, establishBody, probeBody } from './bodies.js';
export {
  credentialHeaders,
  type JsonPostRequest,
  type JsonPostResult,
  postJson,
  type WebhookCredentials,
} from './post.js';
