import Fastify from 'fastify';
import { botMessage, messageText } from '../../dist/protocol/index.js';
import { authorized } from './credentials.js';

/** A hand-written receiver with the project's own schema. @type {import('./index.js').CreateServer} */
export async function create({ handled }) {
  const app = Fastify();
  app.post(
    '/webhook',
    {
      onRequest: async (request, reply) => {
        if (!authorized(request.headers.authorization)) {
          await reply.code(401).send({ code: 401, msg: 'unauthorized' });
        }
      },
    },
    async (request, reply) => {
      const { success, data } = botMessage.safeParse(request.body);
      if (!success) return reply.code(400).send({ code: 400, msg: 'invalid body' });
      handled(messageText(data));
      return { code: 200, msg: 'success' };
    },
  );
  await app.ready();
  return app.server;
}
