export { authorizationOf, createGuard, type Guard } from './guard.js';
export type { AuthChoice, AuthFunction, AuthRequest, AuthScheme } from './scheme.js';
export { basic, bearer, noAuth, pathToken, webhookUser } from './schemes.js';
