import { useState } from 'preact/hooks';
import { CannedEditor } from '../conversation/canned-picker.js';
import { useDeskState, useMay } from '../desk-context.js';
import type { State } from '../state.js';
import { type AdminTextName, a } from '../strings/admin.js';
import { AdminAccount } from './account.js';
import { AdminAgents } from './agents.js';
import { AdminAssignment } from './assignment.js';
import { AdminAudit } from './audit.js';
import { AdminHours } from './hours.js';
import { AdminTeams } from './teams.js';

export { TotpPage } from './account.js';

/** The settings: the agent's account, and whatever else the role allows. */
export function Admin({ tab }: { readonly tab: string }) {
  const mayManage = useMay('manageAgents');
  const mayEditCanned = useMay('editCanned');
  const mayAudit = useMay('readAudit');
  const tabs: readonly AdminTextName[] = [
    'account',
    ...(mayManage ? (['agents', 'teams', 'assignment', 'hours'] as const) : []),
    ...(mayEditCanned ? (['canned'] as const) : []),
    ...(mayAudit ? (['audit'] as const) : []),
  ];
  const shown = tabs.find((each) => each === tab) ?? 'account';
  return (
    <div class="admin">
      <h2>{a('settings')}</h2>
      <nav aria-label={a('settings')}>
        {tabs.map((each) => (
          <a key={each} href={`#/settings/${each}`} aria-current={each === shown ? 'page' : undefined}>
            {a(each)}
          </a>
        ))}
      </nav>
      {shown === 'account' && <AdminAccount />}
      {shown === 'agents' && <AdminAgents />}
      {shown === 'teams' && <AdminTeams />}
      {shown === 'assignment' && <AdminAssignment />}
      {shown === 'hours' && <AdminHours />}
      {shown === 'canned' && <AdminCanned />}
      {shown === 'audit' && <AdminAudit />}
    </div>
  );
}

const cannedOf = ({ canned }: State) => canned;

function AdminCanned() {
  const canned = useDeskState(cannedOf);
  const [isEditing, setEditing] = useState(false);
  return (
    <section>
      <h3>{a('canned')}</h3>
      <dl class="replies">
        {canned.replies.map(({ id, title, text }) => (
          <div key={id}>
            <dt dir="auto">{title}</dt>
            <dd dir="auto">{text}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => setEditing(true)}>
        {a('edit')}
      </button>
      {isEditing && <CannedEditor initial={canned} close={() => setEditing(false)} />}
    </section>
  );
}
