import { type AdapterCall, AdapterError } from './adapter-types.js';

/** People rename themselves rarely. */
const KEEP_MS = 6 * 3_600_000;
/** A permission can be added, and a guest can become visible. */
const KEEP_UNKNOWN_MS = 600_000;
const MAX_NAMES = 1_000;

type AgentName = (id: string, call: AdapterCall) => Promise<string | null>;

/** Creates `agentName` for events that contain only ids of agents: keeps names, and knows none where it may not ask. */
export function createAgentNames(helpdesk: string, lookUp: AgentName): AgentName {
  const known = new Map<string, { readonly name: string | null; readonly until: number }>();

  const find: AgentName = async (id, call) => {
    try {
      return await lookUp(id, call);
    } catch (error) {
      if (!(error instanceof AdapterError) || error.retryable) throw error;
      call.log.warn({ err: error }, `${helpdesk}: an agent has no name for the user`);
      return null;
    }
  };

  return async (id, call) => {
    const entry = known.get(id);
    if (entry && entry.until > Date.now()) return entry.name;
    const name = await find(id, call);
    // Last in the order of the map: the first is the oldest.
    known.delete(id);
    known.set(id, { name, until: Date.now() + (name === null ? KEEP_UNKNOWN_MS : KEEP_MS) });
    const [oldest] = known.keys();
    if (known.size > MAX_NAMES && oldest !== undefined) known.delete(oldest);
    return name;
  };
}
