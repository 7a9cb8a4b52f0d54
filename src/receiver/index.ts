/**
 * HTTP in: match a request, authenticate, read, validate, pass it to the delivery, answer.
 *
 * @module
 */

export {
  type AuthChoice,
  type AuthFunction,
  type AuthRequest,
  type AuthScheme,
  basic,
  bearer,
  noAuth,
  pathToken,
  webhookUser,
} from './auth/schemes.js';
export { readBytes } from './body.js';
export type { Conversations } from './conversations.js';
export { createReceiver } from './create-receiver.js';
export {
  createRequestIds,
  type HandoffAnswers,
  isRefusal,
  type ReceiverAnswer,
  type ReceiverRequest,
  SENDER_HUNG_UP,
  type SendAnswer,
} from './exchange.js';
export { createFetch, type FetchContext, type FetchHandler, fromFetch, respond } from './fetch.js';
export type { Inject, InjectedPayload, InjectedReply, InjectOptions, InjectResult } from './inject.js';
export {
  createListener,
  hasRepeatedAuthorization,
  type NextFunction,
  type RequestListener,
  readStream,
} from './node-http.js';
export type {
  BotOptions,
  CommonReceiverOptions,
  GreetingContext,
  ReceiverOptions,
  SeveralBotsOptions,
} from './options.js';
export type { RequestHandling } from './receive.js';
export type { Receiver } from './receiver.js';
export type { EndpointPaths } from './routes.js';
