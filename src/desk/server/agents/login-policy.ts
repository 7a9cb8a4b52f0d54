import type { AgentView, LoginPolicyView } from '../../api.js';
import { createAudit } from '../audit.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';

/** What administrators require of logins with a password. */
export interface LoginPolicy {
  get(): Promise<LoginPolicyView>;
  save(agent: AgentView, policy: LoginPolicyView): Promise<LoginPolicyView>;
}

const DOCUMENT_ID = 'login-policy';
const kind = DOCUMENT_KIND.settings;
const DEFAULT: LoginPolicyView = { requiresTotp: false };

/** Creates a {@link LoginPolicy}. It holds for all processes on the store, from the next request on. */
export function createLoginPolicy(store: DocumentStore): LoginPolicy {
  const audit = createAudit(store);
  const read = async () => {
    const document = await store.get(kind, DOCUMENT_ID);
    return { policy: (document?.value ?? DEFAULT) as LoginPolicyView, version: document?.version ?? 0 };
  };
  return {
    get: async () => (await read()).policy,
    async save(agent, after) {
      for (;;) {
        const { policy: before, version } = await read();
        if (before.requiresTotp === after.requiresTotp) return before;
        const line = audit.line(agent.id, 'login policy changed', {
          before: { ...before },
          after: { ...after },
        });
        const put = [{ kind, id: DOCUMENT_ID, value: after, version }];
        if (await store.write({ put, append: [line] })) return after;
      }
    },
  };
}
