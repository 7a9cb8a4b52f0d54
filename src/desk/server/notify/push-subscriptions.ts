import { createHash } from 'node:crypto';
import type { AgentView, PushSubscriptionInput } from '../../api.js';
import type { Agents } from '../agents/agents.js';
import type { AgentSession } from '../agents/sessions.js';
import { createAudit } from '../audit.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';

/** The subscription of a browser, of the agent who was last logged in there. It outlasts the agent's session. */
export interface PushSubscription extends PushSubscriptionInput {
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  /** The version of the agent's password: a new one ends the subscription, as it ends sessions. */
  readonly passwordVersion: string;
}

/** The push subscriptions of agents' browsers, and the pages of the desk that agents see. */
export interface PushSubscriptions {
  list(): Promise<readonly PushSubscription[]>;
  /** Whether the agent still exists and has the same password. */
  isValid(subscription: PushSubscription): Promise<boolean>;
  /** Stores or renews the subscription of a browser. */
  add(agent: AgentView, session: AgentSession, subscription: PushSubscriptionInput): Promise<void>;
  /** Removes a subscription, if it is the agent's. */
  remove(agent: AgentView, endpoint: string): Promise<void>;
  /** Removes the subscriptions of an agent, except that of one session. */
  removeAll(agent: AgentView, exceptOf: AgentSession | null): Promise<void>;
  /** Removes the subscriptions of browsers whose agents have logged out. */
  endSessions(sessions: readonly string[]): Promise<void>;
  drop(ids: readonly string[]): Promise<void>;
  /** Records that a page of an agent has become visible or hidden, or still is. */
  setVisible(agent: AgentView, page: string, isVisible: boolean): Promise<void>;
  isVisible(agent: string): Promise<boolean>;
}

/** A visible page reports every 20 seconds; an older report is of a browser that is gone. */
export const VISIBLE_MS = 50_000;
const MAX_LISTED = 5_000;
/** Browsers of one agent; the oldest subscription gives way. */
const MAX_BROWSERS = 10;

export function createPushSubscriptions(store: DocumentStore, agents: Agents): PushSubscriptions {
  const audit = createAudit(store);
  const kind = DOCUMENT_KIND.pushSubscription;

  const list = async (agent?: string): Promise<readonly PushSubscription[]> => {
    const filter = { limit: MAX_LISTED, ...(agent !== undefined && { group: agent }) };
    return (await store.list(kind, filter)).map(({ value }) => value as PushSubscription);
  };
  const drop: PushSubscriptions['drop'] = async (ids) => {
    if (ids.length > 0) await store.write({ remove: ids.map((id) => ({ kind, id })) });
  };
  const dropWhere = async (
    subscriptions: readonly PushSubscription[],
    isMeant: (subscription: PushSubscription) => boolean,
  ): Promise<void> => drop(subscriptions.filter(isMeant).map(({ id }) => id));
  const versionOf = async (agent: string): Promise<string | undefined> =>
    (await agents.credentials(agent))?.passwordVersion;

  return {
    list: () => list(),
    isValid: async ({ agent, passwordVersion }) => (await versionOf(agent)) === passwordVersion,
    async add({ id: agent }, session, { endpoint, keys, language }) {
      const id = digest(endpoint);
      const passwordVersion = (await versionOf(agent)) ?? '';
      const value: PushSubscription = {
        id,
        agent,
        session: session.id,
        passwordVersion,
        endpoint,
        keys,
        language,
      };
      for (;;) {
        const found = await store.get(kind, id);
        const isRenewed = (found?.value as PushSubscription | undefined)?.agent === agent;
        const written = await store.write({
          put: [{ kind, id, value, version: found?.version ?? 0, group: agent }],
          append: isRenewed ? [] : [audit.line(agent, 'push notifications on')],
        });
        if (written) break;
      }
      await drop((await list(agent)).slice(MAX_BROWSERS).map((each) => each.id));
    },
    async remove(agent, endpoint) {
      const id = digest(endpoint);
      const found = (await store.get(kind, id))?.value as PushSubscription | undefined;
      if (found?.agent !== agent.id) return;
      await store.write({
        remove: [{ kind, id }],
        append: [audit.line(agent.id, 'push notifications off')],
      });
    },
    removeAll: async (agent, exceptOf) =>
      dropWhere(await list(agent.id), ({ session }) => session !== exceptOf?.id),
    endSessions: async (sessions) => dropWhere(await list(), ({ session }) => sessions.includes(session)),
    drop,
    async setVisible({ id }, page, isVisible) {
      for (;;) {
        const document = await store.get(DOCUMENT_KIND.visiblePages, id);
        const { [page]: _page, ...others } = recentPages(document?.value);
        const value = { ...others, ...(isVisible && { [page]: Date.now() }) };
        const put = [{ kind: DOCUMENT_KIND.visiblePages, id, value, version: document?.version ?? 0 }];
        if (await store.write({ put })) return;
      }
    },
    async isVisible(agent) {
      const document = await store.get(DOCUMENT_KIND.visiblePages, agent);
      return Object.keys(recentPages(document?.value)).length > 0;
    },
  };
}

/** The visible pages that reported recently, with the times of their reports. */
const recentPages = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries((value ?? {}) as Record<string, number>).filter(([, at]) => at > Date.now() - VISIBLE_MS),
  );

export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
