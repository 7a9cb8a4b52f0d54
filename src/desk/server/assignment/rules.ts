import type { AgentView, AssignmentRules, AssignmentSettings } from '../../api.js';
import { changedFields, createAudit } from '../audit.js';
import { DeskError } from '../errors.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';

/** The rules by which conversations are assigned. */
export interface Rules {
  read(): Promise<AssignmentSettings>;
  /** Replaces the rules. Rejects if another administrator has replaced them since they were read. */
  save(agent: AgentView, settings: AssignmentSettings): Promise<AssignmentSettings>;
}

/** The rules of a new desk: conversations wait until an agent claims them. */
const DEFAULT_RULES: AssignmentRules = { method: 'manual', capacity: null, bots: [] };

const DOCUMENT_ID = 'assignment';

export function createRules(store: DocumentStore): Rules {
  const audit = createAudit(store);
  const read: Rules['read'] = async () => {
    const document = await store.get(DOCUMENT_KIND.settings, DOCUMENT_ID);
    const rules = (document?.value as AssignmentRules | undefined) ?? DEFAULT_RULES;
    return { ...rules, version: document?.version ?? 0 };
  };
  return {
    read,
    async save(agent, { version, ...rules }) {
      const changed = changedFields<AssignmentRules>(await read(), rules, ['method', 'capacity', 'bots']);
      const written = await store.write({
        put: [{ kind: DOCUMENT_KIND.settings, id: DOCUMENT_ID, value: rules, version }],
        append: [audit.line(agent.id, 'assignment rules', changed)],
      });
      if (!written) throw new DeskError('RULES_CHANGED');
      return { ...rules, version: version + 1 };
    },
  };
}
