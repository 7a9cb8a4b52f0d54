/**
 * A receiver in Fastify.
 *
 * @module
 */
import type { Readable } from 'node:stream';
import type { FastifyPluginCallback, FastifyRequest } from 'fastify';
import { type ReceiverRequest, readStream } from '../receiver/index.js';
import { belowMount, fromNode, type Handling } from './mount.js';

/** Fastify itself takes the `prefix`. */
export interface HandoffKitOptions {
  /** A receiver, or a bridge for its helpdesk's webhooks. */
  readonly receiver: Handling;
}

/**
 * A plugin that mounts a receiver at its prefix. It reads bodies itself, whatever content-type parsers the app has.
 * Other paths go to the app's 404 handler.
 *
 * @example
 * import Fastify from 'fastify';
 *
 * const app = Fastify();
 * app.register(handoffKit, { receiver, prefix: '/webhook' });
 */
export const handoffKit: FastifyPluginCallback<HandoffKitOptions> = (scope, { receiver }, done) => {
  // The app's parsers would read the body before the credentials are checked.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, parsed) => parsed(null, payload));

  for (const path of ['/', '/*']) {
    scope.all(path, (request, reply) => {
      const handling = receiver.handle(toReceiverRequest(request, scope.prefix), (answer) => {
        // Bytes, because Fastify adds a charset to the content type of a string.
        void reply
          .code(answer.status)
          .headers(answer.headers as Record<string, string>)
          .send(Buffer.from(answer.body));
      });
      if (!handling) reply.callNotFound();
    });
  }
  done();
};

function toReceiverRequest(request: FastifyRequest, prefix: string): ReceiverRequest {
  const stream = (request.body as Readable | undefined) ?? request.raw;
  return {
    ...fromNode(request.raw, prefix),
    url: belowMount(request.url, prefix),
    remoteAddress: request.ip,
    id: request.id,
    read: (limits) => readStream(stream, limits),
  };
}
