import { useEffect, useState } from 'preact/hooks';
import type { AdminAgentView, AgentView, LoginPolicyView } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { ConfirmDialog, Dialog } from '../shared/dialog.js';
import type { State } from '../state.js';
import { type AdminTextName, a } from '../strings/admin.js';
import { FieldsForm } from './settings-form.js';
import { useLeaveGuard } from './use-edited.js';

const ROLE_NAMES: Readonly<Record<AgentView['role'], AdminTextName>> = {
  agent: 'roleAgent',
  supervisor: 'roleSupervisor',
  administrator: 'roleAdministrator',
};

const ROLES = Object.keys(ROLE_NAMES) as readonly AgentView['role'][];

const meOf = ({ me }: State) => me;

/** A question before something that cannot be undone. */
interface Question {
  readonly text: string;
  readonly yes: string;
  readonly onYes: () => unknown;
}

/** The agents: administrators add and remove them, and set roles and passwords. */
export function AdminAgents() {
  const { client, store } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const [agents, setAgents] = useState<readonly AdminAgentView[]>([]);
  const [question, setQuestion] = useState<Question | null>(null);
  const [shown, setShown] = useState<{ readonly name: string; readonly password: string } | null>(null);
  const refresh = () =>
    attempt(async () => {
      const all = await client.call<readonly AdminAgentView[]>('GET', 'api/admin/agents');
      setAgents(all);
      store.update((state) => ({ ...state, agents: all }));
    });
  useEffect(() => void refresh(), []);

  const post = async (name: string, path: string, body: unknown): Promise<boolean> => {
    const isDone = await attempt(async () => {
      const answer = await client.call<{ password: string } | undefined>('POST', path, body);
      if (answer) setShown({ name, password: answer.password });
    });
    await refresh();
    return isDone;
  };
  const pathOf = (id: string, action: string) => `api/admin/agents/${encodeURIComponent(id)}/${action}`;

  return (
    <section>
      <h3>{a('agents')}</h3>
      <p class="hint">{a('roleHint')}</p>
      <table aria-label={a('agents')}>
        <thead>
          <tr>
            <th scope="col">{a('name')}</th>
            <th scope="col">{a('login')}</th>
            <th scope="col">{a('role')}</th>
            <th scope="col">{a('factor')}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {agents.map(({ id, name, role, hasPassword, hasTotp }) => (
            <tr key={id}>
              <th scope="row" dir="auto">
                {name}
              </th>
              <td>{id}</td>
              <td>
                {id === me.id ? (
                  a(ROLE_NAMES[role])
                ) : (
                  <RoleForm
                    label={`${a('role')}: ${name}`}
                    role={role}
                    change={(next) => post(name, pathOf(id, 'role'), { role: next })}
                  />
                )}
              </td>
              <td>{a(hasTotp ? 'factorTotp' : hasPassword ? 'factorPassword' : 'factorElsewhere')}</td>
              <td>
                <div class="buttons">
                  {id !== me.id && hasPassword && (
                    <button
                      type="button"
                      onClick={() =>
                        setQuestion({
                          text: a('resetSure', { name }),
                          yes: a('resetPassword'),
                          onYes: () => post(name, pathOf(id, 'password'), {}),
                        })
                      }
                    >
                      {a('resetPassword')}
                    </button>
                  )}
                  {id !== me.id && (
                    <button
                      type="button"
                      onClick={() =>
                        setQuestion({
                          text: a('removeSure', { name }),
                          yes: a('remove'),
                          onYes: () => post(name, pathOf(id, 'remove'), {}),
                        })
                      }
                    >
                      {a('remove')}
                    </button>
                  )}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <AddAgent add={(agent) => post(agent.name, 'api/admin/agents', agent)} />
      {agents.some(({ hasPassword }) => hasPassword) && (
        <LoginPolicy lacking={agents.filter(({ hasPassword, hasTotp }) => hasPassword && !hasTotp).length} />
      )}
      {question && (
        <ConfirmDialog
          question={question.text}
          yes={question.yes}
          onYes={() => void question.onYes()}
          close={() => setQuestion(null)}
        />
      )}
      {shown && (
        <Dialog title={a('passwordOf', { name: shown.name })} close={() => setShown(null)}>
          <p>
            <code class="password">{shown.password}</code>
          </p>
          <p>{a('copyHint')}</p>
          <form method="dialog" class="buttons">
            <button type="submit">{a('done')}</button>
          </form>
        </Dialog>
      )}
    </section>
  );
}

/** The role changes with the button, not with each press of an arrow key in the list. */
function RoleForm({
  label,
  role,
  change,
}: {
  readonly label: string;
  readonly role: AgentView['role'];
  readonly change: (role: string) => unknown;
}) {
  const [chosen, setChosen] = useState<string>(role);
  const guard = useLeaveGuard();
  useEffect(() => guard(chosen !== role), [chosen, role]);
  return (
    <span class="buttons">
      <select
        aria-label={label}
        value={chosen}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      >
        <RoleOptions />
      </select>
      {chosen !== role && (
        <button type="button" onClick={() => void change(chosen)}>
          {a('roleChange')}
        </button>
      )}
    </span>
  );
}

const RoleOptions = () => (
  <>
    {ROLES.map((role) => (
      <option key={role} value={role}>
        {a(ROLE_NAMES[role])}
      </option>
    ))}
  </>
);

function AddAgent({ add }: { readonly add: (agent: AgentView) => Promise<boolean> }) {
  return (
    <FieldsForm label={a('add')} submit={(fields) => add(fields as unknown as AgentView)}>
      <h3>{a('addAgent')}</h3>
      <label>
        {a('login')}
        <input name="id" autocomplete="off" required />
      </label>
      <label>
        {a('name')}
        <input name="name" dir="auto" autocomplete="off" required />
      </label>
      <label>
        {a('role')}
        <select name="role">
          <RoleOptions />
        </select>
      </label>
    </FieldsForm>
  );
}

/** Whether agents with a password must have a second factor. `lacking` is how many have none. */
function LoginPolicy({ lacking }: { readonly lacking: number }) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const [policy, setPolicy] = useState<LoginPolicyView | null>(null);
  const [isAsking, setAsking] = useState(false);
  const path = 'api/admin/login-policy';
  useEffect(() => void attempt(async () => setPolicy(await client.call('GET', path))), []);
  if (!policy) return null;
  const { requiresTotp } = policy;
  const change = () =>
    attempt(async () => setPolicy(await client.call('PUT', path, { requiresTotp: !requiresTotp })));
  const label = a(requiresTotp ? 'policyRelease' : 'policyRequire');
  return (
    <>
      <h3>{a('totp')}</h3>
      <p>{a(requiresTotp ? 'policyOn' : 'policyOff')}</p>
      <div class="buttons">
        <button type="button" onClick={() => setAsking(true)}>
          {label}
        </button>
      </div>
      {isAsking && (
        <ConfirmDialog
          question={requiresTotp ? a('policyReleaseSure') : a('policySure', { count: lacking })}
          yes={label}
          onYes={() => void change()}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
