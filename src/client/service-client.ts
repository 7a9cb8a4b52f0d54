import {
  humanClose,
  humanReply,
  type QaAdd,
  type QaAnswer,
  type QaUpdate,
  qaAdd,
  qaAnswer,
  qaUpdate,
  validate,
  type WebhookCheckResult,
  webhookCheckAnswer,
} from '../protocol/index.js';
import { callService } from './call-service.js';
import {
  type HealthWatch,
  type HealthWatchOptions,
  probeHealth,
  type ServiceHealth,
  watchHealth,
} from './health.js';
import { type CallOptions, type ClientSettings, readOptions, type ServiceClientOptions } from './options.js';

/** A human agent's message to the user. */
export interface ReplyInput {
  /** The id of the handoff, from the handoff request. */
  readonly conversationId: string;
  /** The words that the user reads; not empty. */
  readonly text: string;
  /** When it was written, in milliseconds since 1970. Default: now. */
  readonly timestamp?: number | undefined;
}

/** A handoff to end. */
export interface EndInput {
  /** The id of the handoff, from the handoff request. */
  readonly conversationId: string;
  /** When it ended, in milliseconds since 1970. Default: now. */
  readonly timestamp?: number | undefined;
}

/**
 * A client of the platform's API. Every call validates its input before it sends anything, and rejects with a
 * `ValidationError` if the input is wrong; any later failure is a `ServiceError`.
 */
export interface ServiceClient {
  /**
   * Sends the user a message. It is never sent twice: when it is not known whether the message arrived, the call
   * rejects with the code `OUTCOME_UNKNOWN`. Resolves to the platform's answer: JSON, or else its text.
   *
   * @example
   * await client.reply({ conversationId, text: 'Good morning, how can I help?' });
   */
  reply(input: ReplyInput, options?: CallOptions): Promise<unknown>;
  /**
   * Ends the handoff: the user talks to the agent again. Resolves to the platform's answer: JSON, or else its text.
   *
   * @example
   * await client.end({ conversationId });
   */
  end(input: EndInput, options?: CallOptions): Promise<unknown>;
  /** The agent's knowledge. */
  readonly knowledge: KnowledgeClient;
  /** The agent's webhooks, and the health of the platform. */
  readonly webhooks: WebhookClient;
}

/** Calls that change an agent's knowledge. */
export interface KnowledgeClient {
  /**
   * Adds question-answer pairs as documents. Files listed in `failed` of the answer were not added. It is never
   * sent twice: when it is not known whether the pairs were added, the call rejects with `OUTCOME_UNKNOWN`.
   *
   * @example
   * const { doc } = await client.knowledge.addQa({
   *   purpose: 'QA_TEXT',
   *   name: 'Opening hours',
   *   qaList: [{ question: 'When do you open?', answer: 'At nine.' }],
   * });
   */
  addQa(input: QaAdd, options?: CallOptions): Promise<QaAnswer>;
  /**
   * Replaces all pairs of one document (`qaList`) or of several (`files`). Files listed in `failed` of the answer
   * were not used.
   *
   * @example
   * await client.knowledge.updateQa({
   *   doc_id: doc[0].doc_id,
   *   qaList: [{ question: 'When do you open?', answer: 'At ten.' }],
   * });
   */
  updateQa(input: QaUpdate, options?: CallOptions): Promise<QaAnswer>;
}

/** The result of a webhook check. */
export interface WebhookCheck {
  /** One entry for each configured webhook. */
  readonly results: readonly WebhookCheckResult[];
}

/** Calls about an agent's webhooks and about the part of the platform that sends them. */
export interface WebhookClient {
  /**
   * Makes the platform probe every webhook of the agent.
   *
   * @example
   * const { results } = await client.webhooks.check();
   * const broken = results.filter(({ reachable }) => !reachable);
   */
  check(options?: CallOptions): Promise<WebhookCheck>;
  /**
   * Probes the health of the platform once. An unavailable platform is a result and not an error.
   *
   * @example
   * const { available, reason } = await client.webhooks.health();
   */
  health(options?: CallOptions): Promise<ServiceHealth>;
  /**
   * Probes the health of the platform again and again, and calls `onChange` when it changes.
   *
   * @example
   * const watch = client.webhooks.watch({
   *   onChange: ({ available }) => console.log(available ? 'platform is up' : 'platform is down'),
   * });
   * watch.stop();
   */
  watch(options: HealthWatchOptions): HealthWatch;
}

/**
 * Creates a client of the platform's API. Throws a `HandoffKitError` with the code `CONFIG_INVALID` for an invalid
 * option.
 *
 * @example
 * const client = createServiceClient({ baseUrl: 'https://api.example.com', apiKey });
 * await client.reply({ conversationId, text: 'Good morning, how can I help?' });
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const settings = readOptions(options);
  const { clock } = settings;
  return Object.freeze<ServiceClient>({
    async reply({ conversationId, text, timestamp = clock.now() }, callOptions) {
      const body = validate(humanReply, { conversation_id: conversationId, timestamp, body: text });
      return callService(settings, { endpoint: 'reply', body, readBody: unchanged }, callOptions);
    },
    async end({ conversationId, timestamp = clock.now() }, callOptions) {
      const body = validate(humanClose, { conversation_id: conversationId, timestamp });
      return callService(settings, { endpoint: 'close', body, readBody: unchanged }, callOptions);
    },
    knowledge: Object.freeze(createKnowledgeClient(settings)),
    webhooks: Object.freeze(createWebhookClient(settings)),
  });
}

function createKnowledgeClient(settings: ClientSettings): KnowledgeClient {
  return {
    async addQa(input, options) {
      const body = validate(qaAdd, input);
      return callService(settings, { endpoint: 'addQa', body, readBody: readQaAnswer }, options);
    },
    async updateQa(input, options) {
      const body = validate(qaUpdate, input);
      return callService(settings, { endpoint: 'updateQa', body, readBody: readQaAnswer }, options);
    },
  };
}

function createWebhookClient(settings: ClientSettings): WebhookClient {
  const health: WebhookClient['health'] = async (options) => probeHealth(settings, options);
  return {
    check: async (options) =>
      callService(settings, { endpoint: 'checkWebhooks', readBody: readCheckAnswer }, options),
    health,
    watch: (options) => watchHealth(health, settings.clock, options),
  };
}

const unchanged = (body: unknown): unknown => body;
const readQaAnswer = (body: unknown): QaAnswer => validate(qaAnswer, body);
const readCheckAnswer = (body: unknown): WebhookCheck => validate(webhookCheckAnswer, body);
