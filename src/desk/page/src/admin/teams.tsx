import { useEffect } from 'preact/hooks';
import type { TeamList, TeamView } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { a } from '../strings/admin.js';
import { t } from '../strings/index.js';
import { SettingsForm } from './settings-form.js';
import { useEdited } from './use-edited.js';

const agentsOf = ({ agents }: State) => agents;

export function AdminTeams() {
  const { client, store, notify } = useDesk();
  const attempt = useAttempt();
  const agents = useDeskState(agentsOf);
  const [list, setEdited, load] = useEdited<TeamList>();
  useEffect(() => void attempt(async () => load(await client.call('GET', 'api/teams'))), []);
  if (!list) return <p class="hint">…</p>;

  const edit = (change: (teams: readonly TeamView[]) => readonly TeamView[]): void =>
    setEdited({ ...list, teams: change(list.teams) });
  const change = (id: string, more: Partial<TeamView>): void =>
    edit((teams) => teams.map((team) => (team.id === id ? { ...team, ...more } : team)));
  const save = async (): Promise<void> => {
    const named = list.teams.filter(({ name }) => name.trim() !== '');
    const put = async (): Promise<void> => {
      const saved = await client.call<TeamList>('PUT', 'api/teams', { ...list, teams: named });
      load(saved);
      store.update((state) => ({ ...state, teams: saved.teams }));
    };
    if (await attempt(put)) notify(t('saved'));
  };

  return (
    <section>
      <h3>{a('teams')}</h3>
      <SettingsForm
        save={save}
        others={
          <button
            type="button"
            onClick={() => edit((teams) => [...teams, { id: crypto.randomUUID(), name: '', members: [] }])}
          >
            {a('addTeam')}
          </button>
        }
      >
        {list.teams.length === 0 && <p class="hint">{a('noTeams')}</p>}
        {list.teams.map(({ id, name, members }) => (
          <fieldset key={id}>
            <legend dir="auto">{name || a('addTeam')}</legend>
            <label>
              {a('teamName')}
              <input
                dir="auto"
                value={name}
                onInput={({ currentTarget }) => change(id, { name: currentTarget.value })}
              />
            </label>
            <ul class="members" aria-label={a('members')}>
              {agents.map((agent) => (
                <li key={agent.id}>
                  <label class="switch">
                    <input
                      type="checkbox"
                      checked={members.includes(agent.id)}
                      onChange={({ currentTarget }) => {
                        const others = members.filter((each) => each !== agent.id);
                        change(id, { members: currentTarget.checked ? [...others, agent.id] : others });
                      }}
                    />
                    {agent.name}
                  </label>
                </li>
              ))}
            </ul>
            <button type="button" onClick={() => edit((teams) => teams.filter((team) => team.id !== id))}>
              {a('remove')}
            </button>
          </fieldset>
        ))}
      </SettingsForm>
    </section>
  );
}
