import type { AgentView, SavedFilter } from '../api.js';
import { DOCUMENT_KIND, type DocumentStore } from './store/index.js';

/** The saved filters of agents, each their own. */
export interface SavedFilters {
  list(agent: AgentView): Promise<readonly SavedFilter[]>;
  /** Replaces the list. Of two tabs of an agent, the last one wins. */
  save(agent: AgentView, filters: readonly SavedFilter[]): Promise<readonly SavedFilter[]>;
}

const documentIdOf = ({ id }: AgentView): string => `filters/${id}`;

export function createSavedFilters(store: DocumentStore): SavedFilters {
  const read = (agent: AgentView) => store.get(DOCUMENT_KIND.settings, documentIdOf(agent));
  return {
    async list(agent) {
      return ((await read(agent))?.value as readonly SavedFilter[] | undefined) ?? [];
    },
    async save(agent, filters) {
      for (;;) {
        const version = (await read(agent))?.version ?? 0;
        const put = [{ kind: DOCUMENT_KIND.settings, id: documentIdOf(agent), value: filters, version }];
        if (await store.write({ put })) return filters;
      }
    },
  };
}
