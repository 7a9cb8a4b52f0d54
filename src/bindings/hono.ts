/**
 * A receiver in Hono.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import type { GetConnInfo } from 'hono/conninfo';
import { routePath } from 'hono/route';
import { type FetchContext, fromFetch, type ReceiverRequest, respond } from '../receiver/index.js';
import { belowMount, fromNode, type Handling } from './mount.js';

export interface HandoffKitOptions {
  /** The runtime's `getConnInfo`, if it is not Node and your own `auth` function needs the sender's address. */
  readonly getConnInfo?: GetConnInfo;
}

/**
 * Middleware that mounts a receiver, or a bridge for its helpdesk's webhooks, at its route's path. Other paths go to the
 * next handler.
 *
 * @example
 * import { Hono } from 'hono';
 *
 * const app = new Hono();
 * app.use('/webhook/*', handoffKit(receiver));
 */
export function handoffKit(receiver: Handling, { getConnInfo }: HandoffKitOptions = {}): MiddlewareHandler {
  return async (c, next) => {
    const incoming = incomingOf(c);
    const received = incoming ? fromNode(incoming, routePath(c)) : fromFetch(c.req.raw);
    const request: ReceiverRequest = {
      ...received,
      ...(!incoming && { url: belowMount(received.url, routePath(c)) }),
      ...(getConnInfo && { remoteAddress: getConnInfo(c).remote.address }),
      ...(c.req.raw.bodyUsed && { rawBody: await keptBody(c), read: null }),
    };
    const context = incoming ? undefined : executionContext(c);
    return (await respond(receiver.handle, request, context)) ?? next();
  };
}

/** Node's request, which Hono's server for Node passes on, is much faster to read than the Fetch request. */
function incomingOf({ env }: Context): IncomingMessage | undefined {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  return Array.isArray(incoming?.rawHeaders) ? incoming : undefined;
}

/** Hono keeps a body that middleware has read with `c.req`; `undefined` if it was read otherwise. */
async function keptBody({ req }: Context): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await req.arrayBuffer());
  } catch {
    return undefined;
  }
}

/** Hono throws where the runtime has no such context. */
function executionContext(c: Context): FetchContext | undefined {
  try {
    return c.executionCtx;
  } catch {
    return undefined;
  }
}
