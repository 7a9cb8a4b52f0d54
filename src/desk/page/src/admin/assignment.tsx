import { useEffect, useState } from 'preact/hooks';
import type { AssignmentRules, AssignmentSettings, TeamList, TeamView } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { a } from '../strings/admin.js';
import { t } from '../strings/index.js';
import { RadioGroup, SettingsForm } from './settings-form.js';
import { useEdited } from './use-edited.js';

const agentsOf = ({ agents }: State) => agents;
const botsOf = ({ bots }: State) => bots;

const METHODS = [
  ['manual', 'methodManual'],
  ['roundRobin', 'methodRoundRobin'],
  ['leastBusy', 'methodLeastBusy'],
] as const;

type Rule = AssignmentRules['bots'][number];

const targetKey = ({ kind, id }: Rule['to']): string => `${kind} ${id}`;

/** The rules by which new conversations get their agents. */
export function AdminAssignment() {
  const { client, notify } = useDesk();
  const attempt = useAttempt();
  const [settings, edit, load] = useEdited<AssignmentSettings>();
  const [teams, setTeams] = useState<readonly TeamView[]>([]);
  useEffect(
    () =>
      void attempt(async () => {
        setTeams((await client.call<TeamList>('GET', 'api/teams')).teams);
        load(await client.call('GET', 'api/admin/assignment'));
      }),
    [],
  );
  if (!settings) return <p class="hint">…</p>;

  const change = (part: Partial<AssignmentRules>): void => edit({ ...settings, ...part });
  const save = async (): Promise<void> => {
    const bots = settings.bots.filter(({ bot, to }) => bot.trim() !== '' && to.id !== '');
    const put = async () => load(await client.call('PUT', 'api/admin/assignment', { ...settings, bots }));
    if (await attempt(put)) notify(t('saved'));
  };

  return (
    <section>
      <h3>{a('assignment')}</h3>
      <p class="hint">{a('assignmentHint')}</p>
      <SettingsForm save={save}>
        <RadioGroup
          legend={a('method')}
          options={METHODS.map(([method, label]) => [method, a(label)] as const)}
          value={settings.method}
          change={(method) => change({ method })}
        />
        <label>
          {a('capacity')}
          <input
            type="number"
            min={1}
            max={1_000}
            value={settings.capacity ?? ''}
            onInput={({ currentTarget: { valueAsNumber } }) =>
              change({ capacity: Number.isNaN(valueAsNumber) ? null : valueAsNumber })
            }
          />
        </label>
        <RuleList rules={settings.bots} teams={teams} change={(bots) => change({ bots })} />
      </SettingsForm>
    </section>
  );
}

/** The team or agent for the conversations of each bot. */
function RuleList({
  rules,
  teams,
  change,
}: {
  readonly rules: readonly Rule[];
  readonly teams: readonly TeamView[];
  readonly change: (rules: readonly Rule[]) => void;
}) {
  const agents = useDeskState(agentsOf);
  const bots = useDeskState(botsOf);
  const replace = (index: number, part: Partial<Rule>): void =>
    change(rules.map((rule, nth) => (nth === index ? { ...rule, ...part } : rule)));
  const targets = [
    ...teams.map(({ id, name }) => [{ kind: 'team' as const, id }, a('ruleTeam', { name })] as const),
    ...agents.map(({ id, name }) => [{ kind: 'agent' as const, id }, a('ruleAgent', { name })] as const),
  ];
  return (
    <fieldset>
      <legend>{a('rules')}</legend>
      <p class="hint">{a('rulesHint')}</p>
      <datalist id="bots">
        {bots.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {rules.map(({ bot, to }, index) => (
        <div key={index} class="rule">
          <label>
            {a('ruleFor')}
            <input
              list="bots"
              maxLength={200}
              value={bot}
              onInput={({ currentTarget }) => replace(index, { bot: currentTarget.value })}
            />
          </label>
          <label>
            {a('ruleTo')}
            <select
              value={targetKey(to)}
              onChange={({ currentTarget }) => {
                const chosen = targets.find(([target]) => targetKey(target) === currentTarget.value);
                if (chosen) replace(index, { to: chosen[0] });
              }}
            >
              {targets.map(([target, label]) => (
                <option key={targetKey(target)} value={targetKey(target)}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <button type="button" onClick={() => change(rules.filter((_, nth) => nth !== index))}>
            {a('remove')}
          </button>
        </div>
      ))}
      <div class="buttons">
        <button
          type="button"
          onClick={() => change([...rules, { bot: '', to: targets[0]?.[0] ?? { kind: 'agent', id: '' } }])}
        >
          {a('addRule')}
        </button>
      </div>
    </fieldset>
  );
}
