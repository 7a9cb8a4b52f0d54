import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AgentView, NewToken, TokenView } from '../../api.js';
import { createAudit } from '../audit.js';
import { DeskError } from '../errors.js';
import { DOCUMENT_KIND, type DocumentStore } from '../store/index.js';
import type { Agents } from './agents.js';
import { agentViewOf, createAgentDocuments, type StoredAgent, type StoredToken } from './stored-agent.js';

/**
 * Tokens with which programs use the API. A token is an agent who has it instead of a password: the program claims and
 * replies in its name, and removing the agent revokes it.
 */
export interface Tokens {
  list(): Promise<readonly TokenView[]>;
  create(by: AgentView, token: Pick<TokenView, 'name' | 'role' | 'expiresAt'>): Promise<NewToken>;
  /** Revokes a token, and releases its conversations. */
  revoke(by: AgentView, id: string): Promise<void>;
  /** The agent of a token; `null` if it is wrong, expired or revoked. */
  find(token: string): Promise<AgentView | null>;
  /** Records that a token was used. */
  touch(id: string): Promise<void>;
}

/** `hkd_`, the id and 256 random bits. The prefix lets scanners find tokens that were published by mistake. */
const TOKEN = /^hkd_([0-9a-f]{16})_([\w-]{43})$/;
const PREFIX = 'hkd_';
/** Uses are stored this often at most. */
const TOUCH_MS = 60_000;
const MAX_LISTED = 1_000;

/** Whether a text is meant to be a token of the desk. */
export const isApiToken = (text: string): boolean => text.startsWith(PREFIX);

/** A random secret needs no slow hash, and a digest of it can be compared in constant time. */
const digestOf = (secret: string): string => hash('sha256', secret, 'hex');

export function createTokens(store: DocumentStore, agents: Agents, now: () => number = Date.now): Tokens {
  const audit = createAudit(store);
  const { find, change } = createAgentDocuments(store);
  const isCurrent = ({ expiresAt }: StoredToken): boolean => expiresAt === null || expiresAt > now();

  return {
    async list() {
      const documents = await store.list(DOCUMENT_KIND.agent, { limit: MAX_LISTED });
      return documents
        .flatMap(({ value }) => viewOf(value as StoredAgent) ?? [])
        .sort((a, b) => a.createdAt - b.createdAt);
    },
    async create(by, { name, role, expiresAt }) {
      const key = randomBytes(8).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      const id = `token:${key}`;
      const apiToken = { digest: digestOf(secret), createdBy: by.id, expiresAt, lastUsedAt: null };
      const agent = { id, name, role, password: '', addedAt: now(), apiToken };
      const line = audit.line(by.id, 'token created', { detail: id, after: { name, role, expiresAt } });
      await change(id, () => ({ agent, append: [line] }));
      return { ...tokenViewOf(agent, apiToken), token: `${PREFIX}${key}_${secret}` };
    },
    async revoke(by, id) {
      if (!(await find(id))?.agent.apiToken) throw new DeskError('NO_SUCH_TOKEN');
      await agents.remove(id, by.id);
    },
    async find(token) {
      const [, key = '', secret = ''] = TOKEN.exec(token) ?? [];
      const agent = (await find(`token:${key}`))?.agent;
      const expected = agent?.apiToken?.digest ?? digestOf('');
      const isRight = timingSafeEqual(Buffer.from(digestOf(secret)), Buffer.from(expected));
      return agent?.apiToken && isRight && isCurrent(agent.apiToken) ? agentViewOf(agent) : null;
    },
    async touch(id) {
      await change(id, (agent) => {
        const token = agent?.apiToken;
        if (!token || now() - (token.lastUsedAt ?? 0) < TOUCH_MS) return null;
        return { agent: { ...agent, apiToken: { ...token, lastUsedAt: now() } } };
      });
    },
  };
}

const viewOf = (agent: StoredAgent): TokenView | null =>
  agent.apiToken ? tokenViewOf(agent, agent.apiToken) : null;

const tokenViewOf = (
  { id, name, role, addedAt }: StoredAgent,
  { createdBy, expiresAt, lastUsedAt }: StoredToken,
): TokenView => ({ id, name, role, createdAt: addedAt, createdBy, expiresAt, lastUsedAt });
