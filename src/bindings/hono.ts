/**
 * A receiver in Hono.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import type { GetConnInfo } from 'hono/conninfo';
import { routePath } from 'hono/route';
import {
  type FetchContext,
  fromFetch,
  type ReceiverRequest,
  readStream,
  respond,
} from '../receiver/index.js';
import { belowMount, type Handling } from './mount.js';

/** Options of {@link handoffKit}. */
export interface HandoffKitOptions {
  /** The `getConnInfo` of a runtime other than Node, for a check of your own that needs the sender's address. */
  readonly getConnInfo?: GetConnInfo;
}

/**
 * Middleware that mounts a receiver, or a bridge for the webhooks of its helpdesk, at the path of its route. Passes
 * paths that are not the receiver's to the next handler.
 *
 * @example
 * app.use('/webhook/*', handoffKit(receiver));
 */
export function handoffKit(receiver: Handling, { getConnInfo }: HandoffKitOptions = {}): MiddlewareHandler {
  return async (c, next) => {
    const received = fromFetch(c.req.raw);
    const incoming = incomingOf(c);
    const isRead = c.req.raw.bodyUsed;
    const request: ReceiverRequest = {
      ...received,
      url: belowMount(received.url, routePath(c)),
      remoteAddress: getConnInfo ? getConnInfo(c).remote.address : incoming?.socket.remoteAddress,
      ...(isRead && { rawBody: await keptBody(c) }),
      // Reading the stream of Fetch takes several times as long, and Node's own is here.
      ...(!isRead && incoming && { read: (limits) => readStream(incoming, limits) }),
    };
    return (await respond(receiver.handle, request, executionContext(c))) ?? next();
  };
}

/** The request of Node, where Hono's server for Node has passed it on and nothing has read it. */
function incomingOf({ env }: Context): IncomingMessage | undefined {
  const { incoming } = (env ?? {}) as { readonly incoming?: IncomingMessage };
  return incoming?.readableDidRead === false ? incoming : undefined;
}

/** Hono keeps a body that middleware has read with `c.req`; `undefined` if it was read in another way. */
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
