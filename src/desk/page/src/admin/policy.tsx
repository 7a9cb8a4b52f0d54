import { useEffect, useState } from 'preact/hooks';
import type { LoginPolicyView } from '../../../api.js';
import { useAttempt, useDesk } from '../desk-context.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { a } from '../strings/admin.js';

/** Whether agents with a password must have a second factor. `lacking` is how many have none. */
export function AdminPolicy({ lacking }: { readonly lacking: number }) {
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
