/**
 * Types for mounting a receiver in a framework that has no subpath: the request and the answer, independent of a server.
 *
 * @module
 */
export type {
  EndpointPaths,
  FetchContext,
  FetchHandler,
  NextFunction,
  ReceiverAnswer,
  ReceiverRequest,
  RequestListener,
  SendAnswer,
} from '../receiver/index.js';
