import { changeWhile } from '../../src/bridge/bridge-context.js';
import type { Conversation, ConversationChange, HandoffStore } from '../../src/handoff/index.js';

/** Changes a stored conversation, as another process might: links it to a helpdesk, or fails it. */
export const changeConversation = (
  store: HandoffStore,
  id: string,
  change: ConversationChange,
): Promise<Conversation | null> => changeWhile(store, id, () => true, change);
