import type { AgentView, ConversationSummary } from '../../api.js';
import type { Agents } from '../agents/agents.js';
import type { Assigner } from '../assignment/assigner.js';
import type { DeskConversations } from '../conversations/index.js';
import { CLOSE_MESSAGE_ID } from '../conversations/outgoing-items.js';
import type { DeadLetters } from '../dead-letters.js';
import { DeskError } from '../errors.js';
import { mentionsIn } from '../mentions.js';
import type { Teams } from '../settings.js';
import { isAction, readAction } from './validate.js';

/** Runs an action of an agent on a conversation, by its name and the body of the request. */
export type ActOnConversation = (
  agent: AgentView,
  id: string,
  action: string,
  body: unknown,
) => Promise<ConversationSummary>;

export interface ActParts {
  readonly conversations: DeskConversations;
  readonly agents: Agents;
  readonly teams: Teams;
  readonly deadLetters: DeadLetters;
  readonly assigner: Assigner;
}

/** After these, the conversation may wait for an agent, or its agent has room for another. */
const FREEING: readonly string[] = ['release', 'transfer', 'pass', 'close'];

export function createActOnConversation(parts: ActParts): ActOnConversation {
  const { agents, teams, deadLetters, assigner } = parts;
  const { agentActions, sender } = parts.conversations;

  const act: ActOnConversation = async (agent, id, action, body) => {
    if (!isAction(action)) throw new DeskError('INVALID');
    switch (action) {
      case 'claim':
      case 'release':
        return agentActions[action](agent, id);
      case 'transfer': {
        const { to } = readAction(action, body);
        if (!(await agents.get(to))) throw new DeskError('NO_SUCH_AGENT');
        return agentActions.transfer(agent, id, to);
      }
      case 'note': {
        const { messageId, text } = readAction(action, body);
        const named = mentionsIn(text, await agents.list(), (await teams.list()).teams);
        const mentions = named.filter((each) => each !== agent.id);
        return agentActions.note(agent, id, { messageId, text, mentions });
      }
      case 'pass': {
        const wanted = readAction(action, body).team;
        const team = (await teams.list()).teams.find((each) => each.id === wanted);
        if (!team) throw new DeskError('NO_SUCH_TEAM');
        return agentActions.pass(agent, id, team);
      }
      case 'tag': {
        const { add, remove } = readAction(action, body);
        return agentActions.tag(agent, id, add, remove);
      }
      case 'priority':
        return agentActions.prioritise(agent, id, readAction(action, body).priority);
      case 'snooze':
        return agentActions.snooze(agent, id, readAction(action, body).until);
      case 'read':
        return agentActions.read(agent, id, readAction(action, body));
      case 'reply': {
        const { messageId, text } = readAction(action, body);
        const summary = await agentActions.reply(agent, id, messageId, text);
        // Not awaited, since the platform may be slow. The page gets the delivery state as a live update.
        void sender.send(id, messageId);
        return summary;
      }
      case 'retry':
        return deadLetters.retryReply(agent, id, readAction(action, body).messageId);
      case 'close': {
        const summary = await agentActions.close(agent, id);
        void sender.send(id, CLOSE_MESSAGE_ID);
        return summary;
      }
    }
  };

  return async (agent, id, action, body) => {
    const summary = await act(agent, id, action, body);
    if (FREEING.includes(action)) assigner.kick();
    return summary;
  };
}
