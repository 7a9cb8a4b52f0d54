import { humanClose, humanReply, validate } from '../../protocol/index.js';
import type { Clock } from '../clock.js';
import type { Conversations } from '../conversations.js';
import type { Endpoints } from '../http/endpoint.js';

/** What the human side calls: reply and close (4.9, 4.10). */
export function humanRoutes({ endpoint }: Endpoints, conversations: Conversations, clock: Clock) {
  return {
    reply: endpoint('reply', ({ agent, body }) => {
      conversations.receive(agent, validate(humanReply, body));
      return { code: 200, message: 'success' };
    }),
    close: endpoint('close', ({ agent, body }) => {
      const { conversation_id } = validate(humanClose, body);
      conversations.closeByHuman(agent, conversation_id);
      return { conversation_id, timestamp: clock.now() };
    }),
  };
}
