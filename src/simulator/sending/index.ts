/**
 * The sending half of the simulator: request bodies, credentials and the HTTP client. The CLI and the doctor import
 * it on its own, so that they do not load Express.
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
