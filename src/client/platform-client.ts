import { closestName } from '../internal/index.js';
import {
  agentClose,
  agentReply,
  invalidBody,
  QA_FIELDS,
  QA_ITEM_FIELDS,
  type QaAdd,
  type QaResult,
  type QaUpdate,
  qaAdd,
  qaUpdate,
  readCheckAnswer,
  readQaAnswer,
  validate,
  type WebhookCheck,
} from '../protocol/index.js';
import { callPlatform } from './call-platform.js';
import { type Clock, systemClock } from './clock.js';
import {
  type HealthWatch,
  type HealthWatchOptions,
  type PlatformHealth,
  probeHealth,
  watchHealth,
} from './health.js';
import { type CallOptions, type ClientSettings, type PlatformClientOptions, readOptions } from './options.js';

/** An agent's message to the user. */
export interface ReplyInput {
  /** From the handoff request. */
  readonly conversationId: string;
  /** Must not be empty. */
  readonly text: string;
  /** When it was written, in milliseconds since 1970. Default: now. */
  readonly timestamp?: number | undefined;
  /** Additional fields by their wire names, for fields that this version does not know. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/** A handoff to end. */
export interface EndInput {
  /** From the handoff request. */
  readonly conversationId: string;
  /** When it ended, in milliseconds since 1970. Default: now. */
  readonly timestamp?: number | undefined;
  /** Additional fields by their wire names, for fields that this version does not know. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A client of the platform's API. Every call checks its input first, and rejects with a `ValidationError`, or with the
 * code `CONFIG_INVALID` for a wrong option. Later failures are `PlatformError`s. Errors from your `headers` function pass
 * unchanged.
 */
export interface PlatformClient {
  /**
   * Sends the user a message. It is never sent twice: if the message may have arrived, the call rejects with
   * `outcome: 'unknown'`. Resolves to the platform's answer: JSON, or an empty string.
   *
   * @example
   * await client.reply({ conversationId, text: 'Good morning, how can I help?' });
   */
  reply(input: ReplyInput, options?: CallOptions): Promise<unknown>;
  /**
   * Ends the handoff: the user talks to the bot again. Resolves to the platform's answer: JSON, or an empty
   * string.
   *
   * @example
   * await client.end({ conversationId });
   */
  end(input: EndInput, options?: CallOptions): Promise<unknown>;
  /** The bot's knowledge. */
  readonly knowledge: KnowledgeClient;
  /** The bot's webhooks, and the health of the platform. */
  readonly webhooks: WebhookClient;
}

/** Calls that change a bot's knowledge. */
export interface KnowledgeClient {
  /**
   * Adds question-answer pairs as documents. Files in the result's `failed` were not added; the platform did not report
   * `missing` more. It is never sent twice: if the pairs may have been added, the call rejects with `outcome: 'unknown'`.
   *
   * @example
   * const { doc } = await client.knowledge.addQa({
   *   purpose: 'QA_TEXT',
   *   name: 'Opening hours',
   *   qaList: [{ question: 'When do you open?', answer: 'At nine.' }],
   * });
   */
  addQa(input: QaAdd, options?: CallOptions): Promise<QaResult>;
  /**
   * Replaces all pairs of one document (`qaList`) or of several (`files`). Files in the result's `failed` were not used;
   * the platform did not report `missing` more.
   *
   * @example
   * await client.knowledge.updateQa({
   *   doc_id: 'd-1',
   *   qaList: [{ question: 'When do you open?', answer: 'At ten.' }],
   * });
   */
  updateQa(input: QaUpdate, options?: CallOptions): Promise<QaResult>;
}

/** Calls about a bot's webhooks and about the part of the platform that sends them. */
export interface WebhookClient {
  /**
   * Makes the platform probe every webhook of the bot.
   *
   * @example
   * const { results } = await client.webhooks.check();
   * const broken = results.filter(({ reachable }) => !reachable);
   */
  check(options?: CallOptions): Promise<WebhookCheck>;
  /**
   * Probes the platform's health once. An unavailable platform is a result, not an error.
   *
   * @example
   * const { available, reason } = await client.webhooks.health();
   */
  health(options?: CallOptions): Promise<PlatformHealth>;
  /**
   * Probes the platform's health repeatedly, and calls `onChange` when it changes.
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
 * const client = createPlatformClient({ baseUrl: 'https://api.example.com', apiKey });
 * await client.reply({ conversationId, text: 'Good morning, how can I help?' });
 */
export function createPlatformClient(options: PlatformClientOptions): PlatformClient {
  return createClientWithClock(options, systemClock);
}

/** For tests that do not wait. */
export function createClientWithClock(options: PlatformClientOptions, clock: Clock): PlatformClient {
  const settings = readOptions(options, clock);
  return Object.freeze<PlatformClient>({
    async reply(input, callOptions) {
      const { conversationId, text, timestamp = clock.now(), extra } = checkedInput('reply', input);
      const wire = { ...extra, conversation_id: conversationId, timestamp, body: text };
      const body = validate(agentReply, wire, INPUT_NAMES);
      return callPlatform(settings, { endpoint: 'reply', body, readBody: unchanged }, callOptions);
    },
    async end(input, callOptions) {
      const { conversationId, timestamp = clock.now(), extra } = checkedInput('end', input);
      const body = validate(
        agentClose,
        { ...extra, conversation_id: conversationId, timestamp },
        INPUT_NAMES,
      );
      return callPlatform(settings, { endpoint: 'close', body, readBody: unchanged }, callOptions);
    },
    knowledge: Object.freeze(createKnowledgeClient(settings)),
    webhooks: Object.freeze(createWebhookClient(settings)),
  });
}

function createKnowledgeClient(settings: ClientSettings): KnowledgeClient {
  return {
    async addQa(input, options) {
      const body = validate(qaAdd, bodyOf('addQa', input));
      const requested = 'files' in body && Array.isArray(body.files) ? body.files.length : 1;
      const readBody = (answer: unknown) => readQaAnswer(answer, requested);
      return callPlatform(settings, { endpoint: 'addQa', body, readBody }, options);
    },
    async updateQa(input, options) {
      const body = validate(qaUpdate, bodyOf('updateQa', input));
      // Two files may replace the same document.
      const requested = new Set(body.files?.map(({ doc_id }) => doc_id)).size || 1;
      const readBody = (answer: unknown) => readQaAnswer(answer, requested);
      return callPlatform(settings, { endpoint: 'updateQa', body, readBody }, options);
    },
  };
}

/** By the names on the wire. */
const INPUT_NAMES = { conversation_id: 'conversationId', body: 'text' };

const FIELDS = {
  reply: ['conversationId', 'text', 'timestamp'],
  end: ['conversationId', 'timestamp'],
  ...QA_FIELDS,
} as const;

/** The fields of a call. A misspelt one would be lost, or sent and ignored by the platform. */
function checkedInput<Input extends object>(call: keyof typeof FIELDS, input: Input): Partial<Input> {
  // A JavaScript caller may pass nothing; validation then reports the missing fields.
  const given: Partial<Input> = input ?? {};
  checkFields(given, call, ['extra', ...FIELDS[call]], 'pass it in extra to send it');
  return given;
}

/** `advice`: what to do if no name is similar. `path`: where the fields are, such as `files[0].`. */
function checkFields(given: unknown, of: string, names: readonly string[], advice: string, path = ''): void {
  // Validation reports values that are not objects.
  const fields = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  const unknown = fields.find((field) => !names.includes(field));
  if (unknown === undefined) return;
  const closest = closestName(unknown, names);
  const hint = closest === null ? advice : `did you mean ${closest}?`;
  throw invalidBody(`${path}${unknown}`, `not a field of ${of}: ${hint}`);
}

function bodyOf(call: 'addQa' | 'updateQa', input: QaAdd | QaUpdate): Record<string, unknown> {
  const { extra, ...fields } = checkedInput(call, input);
  const lists: Readonly<Record<string, unknown>> = fields;
  for (const list of ['qaList', 'files'] as const) {
    const items = lists[list];
    if (!Array.isArray(items)) continue;
    const names = QA_ITEM_FIELDS[list];
    for (const [index, item] of items.entries()) {
      checkFields(item, list, names, `it has ${names.join(', ')}`, `${list}[${index}].`);
    }
  }
  return { ...extra, ...fields };
}

function createWebhookClient(settings: ClientSettings): WebhookClient {
  const health: WebhookClient['health'] = async (options) => probeHealth(settings, options);
  return {
    check: async (options) =>
      callPlatform(settings, { endpoint: 'checkWebhooks', readBody: readCheckAnswer }, options),
    health,
    watch: (options) => watchHealth(health, settings.clock, options),
  };
}

const unchanged = (body: unknown): unknown => body;
