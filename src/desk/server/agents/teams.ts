import type { AgentView, TeamList, TeamView } from '../../api.js';
import { createAudit } from '../audit.js';
import { DeskError } from '../errors.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';

/** The teams of agents. */
export interface Teams {
  list(): Promise<TeamList>;
  /** Replaces the list. Rejects if another administrator has replaced it since it was read. */
  save(agent: AgentView, list: TeamList): Promise<TeamList>;
}

const DOCUMENT_ID = 'teams';

export function createTeams(store: DocumentStore): Teams {
  const audit = createAudit(store);
  const list: Teams['list'] = async () => {
    const document = await store.get(DOCUMENT_KIND.settings, DOCUMENT_ID);
    return { teams: (document?.value ?? []) as readonly TeamView[], version: document?.version ?? 0 };
  };
  return {
    list,
    async save(agent, { teams, version }) {
      const before = (await list()).teams;
      const written = await store.write({
        put: [{ kind: DOCUMENT_KIND.settings, id: DOCUMENT_ID, value: teams, version }],
        append: [
          audit.line(agent.id, 'teams changed', { before: membersOf(before), after: membersOf(teams) }),
        ],
      });
      if (!written) throw new DeskError('TEAMS_CHANGED');
      return { teams, version: version + 1 };
    },
  };
}

const membersOf = (teams: readonly TeamView[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(teams.map(({ name, members }) => [name, members]));
