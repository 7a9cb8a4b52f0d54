import { useEffect } from 'preact/hooks';
import type { CannedList } from '../../../api.js';
import { CannedFields, useSaveCanned, withNewReply } from '../conversation/canned-picker.js';
import { useAttempt, useDesk, useMay } from '../desk-context.js';
import { type AdminTextName, a } from '../strings/admin.js';
import { t } from '../strings/index.js';
import { AdminAccount } from './account.js';
import { AdminAgents } from './agents.js';
import { AdminAssignment } from './assignment.js';
import { AdminAudit } from './audit.js';
import { AdminHours } from './hours.js';
import { AdminPrograms } from './programs.js';
import { SettingsForm } from './settings-form.js';
import { AdminTeams } from './teams.js';
import { useEdited } from './use-edited.js';

export { TotpPage } from './account.js';

/** The settings: the agent's account, and whatever else the role allows. */
export function Admin({ tab }: { readonly tab: string }) {
  const mayManage = useMay('manageAgents');
  const mayEditCanned = useMay('editCanned');
  const mayAudit = useMay('readAudit');
  const mayManageApi = useMay('manageApi');
  const tabs: readonly AdminTextName[] = [
    'account',
    ...(mayManage ? (['agents', 'teams', 'assignment', 'hours'] as const) : []),
    ...(mayEditCanned ? (['canned'] as const) : []),
    ...(mayManageApi ? (['programs'] as const) : []),
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
      <div class="settings-page">
        {shown === 'account' && <AdminAccount />}
        {shown === 'agents' && <AdminAgents />}
        {shown === 'teams' && <AdminTeams />}
        {shown === 'assignment' && <AdminAssignment />}
        {shown === 'hours' && <AdminHours />}
        {shown === 'canned' && <AdminCanned />}
        {shown === 'programs' && <AdminPrograms />}
        {shown === 'audit' && <AdminAudit />}
      </div>
    </div>
  );
}

function AdminCanned() {
  const { client, notify } = useDesk();
  const attempt = useAttempt();
  const saveCanned = useSaveCanned();
  const [list, edit, load] = useEdited<CannedList>();
  useEffect(() => void attempt(async () => load(await client.canned())), []);
  if (!list) return <p class="hint">…</p>;
  const save = async (): Promise<void> => {
    if (await attempt(async () => load(await saveCanned(list)))) notify(t('saved'));
  };
  return (
    <section>
      <h3>{a('canned')}</h3>
      <SettingsForm
        save={save}
        others={
          <button type="button" onClick={() => edit(withNewReply(list))}>
            {t('cannedAdd')}
          </button>
        }
      >
        <CannedFields list={list} change={edit} />
      </SettingsForm>
    </section>
  );
}
