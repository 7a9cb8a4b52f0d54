import { randomBytes } from 'node:crypto';
import type { AgentView, NewWebhook, WebhookView } from '../../api.js';
import { createAudit } from '../audit.js';
import { DeskError } from '../errors.js';
import { DOCUMENT_KIND, type Document, type DocumentStore, type JournalAppend } from '../store/index.js';

/** A webhook as the desk stores it. */
export interface StoredWebhook extends Omit<WebhookView, 'id' | 'waiting'> {
  /** In the clear, since each request is signed with it. */
  readonly secret: string;
  /** The journal when it was created or enabled: it gets what comes after. */
  readonly since: number;
  /** Failures since the last success. */
  readonly failures: number;
  /** Not tried before then. */
  readonly retryAt: number;
}

/** The webhooks, which administrators create and remove. */
export interface Webhooks {
  list(): Promise<readonly WebhookView[]>;
  /** Those that events are sent to. */
  enabled(): Promise<readonly (StoredWebhook & { readonly id: string })[]>;
  create(by: AgentView, webhook: Pick<WebhookView, 'url' | 'events' | 'content'>): Promise<NewWebhook>;
  /** Sends events again to a webhook that the desk has given up. */
  enable(by: AgentView, id: string): Promise<void>;
  remove(by: AgentView, id: string): Promise<void>;
  /** Reads, decides and writes until no other writer interferes; `null` changes nothing. */
  change(
    id: string,
    decide: (webhook: StoredWebhook) => { webhook: StoredWebhook; append?: readonly JournalAppend[] } | null,
  ): Promise<boolean>;
}

const MAX_WEBHOOKS = 20;
const kind = DOCUMENT_KIND.webhook;

/** What a new webhook, and one that is enabled again, has not done yet. */
const UNTRIED = { failures: 0, retryAt: 0, failingSince: null, problem: null, disabledAt: null };

export function createWebhooks(store: DocumentStore): Webhooks {
  const audit = createAudit(store);
  const all = () => store.list(kind, { limit: MAX_WEBHOOKS });

  const change: Webhooks['change'] = async (id, decide) => {
    for (;;) {
      const document = await store.get(kind, id);
      if (!document) return false;
      const stored = storedOf(document);
      const decided = decide(stored);
      if (!decided) return true;
      const { webhook: value, append = [] } = decided;
      const put = [{ kind, id, value, version: document.version, rank: -value.createdAt }];
      if (await store.write({ put, append })) return true;
    }
  };

  return {
    change,
    async list() {
      const waiting = await store.count(DOCUMENT_KIND.webhookDelivery);
      return (await all()).map((document) => viewOf(document.id, storedOf(document), waiting[document.id]));
    },
    async enabled() {
      const webhooks = (await all()).map((document) => ({ ...storedOf(document), id: document.id }));
      return webhooks.filter(({ disabledAt }) => disabledAt === null);
    },
    async create(by, { url, events, content }) {
      checkUrl(url);
      if ((await all()).length >= MAX_WEBHOOKS) throw new DeskError('TOO_MANY_WEBHOOKS');
      const id = randomBytes(6).toString('hex');
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      const created = { url, events, content, createdAt: Date.now(), createdBy: by.id, deliveredAt: null };
      const value: StoredWebhook = { ...created, ...UNTRIED, secret, since: await store.head() };
      const line = audit.line(by.id, 'webhook created', { detail: id, after: { url, events, content } });
      await store.write({ put: [{ kind, id, value, version: 0, rank: -value.createdAt }], append: [line] });
      return { ...viewOf(id, value), secret };
    },
    async enable(by, id) {
      const append = [audit.line(by.id, 'webhook enabled', { detail: id })];
      const since = await store.head();
      const isKnown = await change(id, (webhook) => ({ webhook: { ...webhook, ...UNTRIED, since }, append }));
      if (!isKnown) throw new DeskError('NO_SUCH_WEBHOOK');
    },
    async remove(by, id) {
      if (!(await store.get(kind, id))) throw new DeskError('NO_SUCH_WEBHOOK');
      // Events that wait for it are left to retention.
      const append = [audit.line(by.id, 'webhook removed', { detail: id })];
      await store.write({ remove: [{ kind, id }], append });
    },
  };
}

const storedOf = ({ value }: Document): StoredWebhook => value as StoredWebhook;

function viewOf(id: string, webhook: StoredWebhook, waiting = 0): WebhookView {
  const { secret: _secret, since: _since, failures: _failures, retryAt: _retryAt, ...view } = webhook;
  return { ...view, id, waiting };
}

/** Addresses of the own network are allowed: many receivers are there. */
function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (!isHttp || url.username !== '' || url.password !== '') throw new DeskError('INVALID_URL');
}
