import { type AdapterCall, AdapterError, asObject, asText } from '../../bridge/index.js';
import type { SlackApi } from './web-api.js';

/** People rename themselves rarely. */
const KEEP_MS = 6 * 3_600_000;
/** A scope can be added, and a guest can become visible. */
const KEEP_UNKNOWN_MS = 600_000;
const MAX_NAMES = 1_000;

interface KnownName {
  readonly name: string | null;
  readonly until: number;
}

/** Creates `agentName`: events contain ids of users only. Without the scope `users:read`, agents have no name. */
export function createAgentName(api: SlackApi): (id: string, call: AdapterCall) => Promise<string | null> {
  const known = new Map<string, KnownName>();

  const lookUp = async (user: string, { signal, log }: AdapterCall): Promise<string | null> => {
    try {
      const found = asObject((await api.read('users.info', { user }, { signal })).user);
      const names = [asObject(found.profile).display_name, found.real_name, found.name];
      return names.map((name) => asText(name).trim()).find((name) => name !== '') ?? null;
    } catch (error) {
      if (!(error instanceof AdapterError) || error.retryable) throw error;
      log.warn({ err: error }, 'slack: an agent has no name for the user');
      return null;
    }
  };

  return async (id, call) => {
    const entry = known.get(id);
    if (entry && entry.until > Date.now()) return entry.name;
    const name = await lookUp(id, call);
    // Last in the order of the map: the first is the oldest.
    known.delete(id);
    known.set(id, { name, until: Date.now() + (name === null ? KEEP_UNKNOWN_MS : KEEP_MS) });
    const [oldest] = known.keys();
    if (known.size > MAX_NAMES && oldest !== undefined) known.delete(oldest);
    return name;
  };
}
