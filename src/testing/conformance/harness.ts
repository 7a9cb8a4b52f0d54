import type { Adapter } from '../../bridge/index.js';

export interface AdapterFactoryInput<Helpdesk extends HarnessHelpdesk = HarnessHelpdesk> {
  /** The address of the helpdesk's API, through the fault-injecting proxy. Use it for every request. */
  readonly baseUrl: string;
  /** If `wrong`, create the adapter with credentials that the helpdesk refuses. */
  readonly credentials: 'right' | 'wrong';
  /** The result of `harness.start`, for other settings such as ids and secrets. */
  readonly helpdesk: Helpdesk;
}

/** Creates a new instance of the adapter under test. The kit creates several and disposes of each. */
export type AdapterFactory<Helpdesk extends HarnessHelpdesk = HarnessHelpdesk> = (
  site: AdapterFactoryInput<Helpdesk>,
) => Adapter | Promise<Adapter>;

/** A conversation as its agents see it. */
export interface HelpdeskConversation {
  /** Whether agents see that it has ended: by its status, or by a message if the helpdesk has no status. */
  readonly isClosed: boolean;
  /**
   * The texts that agents see and did not write themselves, oldest first, including the transcript. As displayed:
   * if the helpdesk stores `&lt;` and shows `<`, return `<`.
   */
  readonly shown: readonly string[];
  /** The texts of replies that agents see marked as undelivered, if the helpdesk can mark them. */
  readonly undelivered?: readonly string[];
  /** The helpdesk's user id, to distinguish two users; `null` if it has none. */
  readonly customer: string | null;
}

/**
 * Acts as an agent, with the agent's account, not the adapter's. Each action resolves when the helpdesk has stored it;
 * the adapter may learn of it later.
 */
export interface HelpdeskAgent {
  /** The agent's name, as users may see it. If missing, set `unsupported.name`. */
  readonly name?: string;
  /** Writes to the user. `text` is what the agent types and what the user should see. */
  reply(externalId: string, text: string): Promise<void>;
  /** Writes an internal note. If missing, set `unsupported.note`. */
  note?(externalId: string, text: string): Promise<void>;
  /** Closes the conversation. If missing, set `unsupported.close`. */
  close?(externalId: string): Promise<void>;
  /** Writes to the user and closes the conversation in one step. If missing, set `unsupported.replyAndClose`. */
  replyAndClose?(externalId: string, text: string): Promise<void>;
  /** Assigns the conversation to the agent. If missing, set `unsupported.join`. */
  join?(externalId: string): Promise<void>;
  /**
   * Sends a file to the user, with a text. Resolves to the address at which the user can open it, or `null` if only
   * agents can. If missing, set `unsupported.attach`.
   */
  attach?(externalId: string, file: HarnessFile): Promise<string | null>;
}

/** A file that an agent sends. */
export interface HarnessFile {
  readonly name: string;
  readonly contentType: string;
  /** Sent with the file. */
  readonly text: string;
}

/** A running helpdesk, or a fake. */
export interface HarnessHelpdesk {
  /** The address of its API, as configured in an adapter. */
  readonly baseUrl: string;
  /** The ids of the conversations created by adapters since this `start`, in any order. */
  list(): Promise<readonly string[]>;
  /** A conversation as agents see it. `externalId` is the id that `open` returned. */
  read(externalId: string): Promise<HelpdeskConversation>;
  readonly agent: HelpdeskAgent;
  /** Stops the helpdesk, or removes the data that `start` created. */
  stop(): Promise<void>;
}

/** Features that a helpdesk may lack. */
export type HarnessFeature =
  /** Internal notes. */
  | 'note'
  /** Agents can close a conversation. */
  | 'close'
  /** Agents can write and close in one step. */
  | 'replyAndClose'
  /** Agents can take a conversation, and the helpdesk reports it. */
  | 'join'
  /** Agents have a name that users may see. */
  | 'name'
  /** Agents can send files. */
  | 'attach'
  /** Webhooks carry a signature or a shared secret. */
  | 'signature'
  /** The signature covers the body. */
  | 'signedBody'
  /** The signature covers the time. */
  | 'signedTime';

/** An answer that the fault proxy gives instead of the helpdesk. */
export interface FaultAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a short text. */
  readonly body?: string;
}

/** Describes a helpdesk to the conformance kit. */
export interface AdapterHarness<Helpdesk extends HarnessHelpdesk = HarnessHelpdesk> {
  /** The helpdesk's name, for test titles. */
  readonly name: string;
  /**
   * Starts the helpdesk or a fake, or connects to a running one. Called once per check. Configure the helpdesk to
   * send its webhooks to `webhookUrl`, which accepts any path and answers 200 at once; the kit forwards them to the
   * bridge, and repeats, changes or holds them as a check requires.
   */
  start(site: { readonly webhookUrl: string }): Promise<Helpdesk>;
  /** Credentials and secrets of the adapter. They must not appear in log lines and errors. */
  readonly secrets: readonly string[];
  /**
   * Features that the helpdesk lacks, and ids of checks that cannot pass, each with the reason. Skipped checks are
   * printed with their reason.
   */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** The helpdesk's error answers. Default: 401, 404, 422, 429 with `Retry-After`, 503. */
  readonly faults?: {
    readonly unauthorized?: FaultAnswer;
    /** The conversation no longer exists. */
    readonly gone?: FaultAnswer;
    /** The request is refused, and would be refused again. */
    readonly refused?: FaultAnswer;
    readonly rateLimited?: (retryAfterSeconds: number) => FaultAnswer;
    readonly unavailable?: FaultAnswer;
  };
  /**
   * How many messages the helpdesk lists in one answer at most, so that the kit can ask catchUp for more than one page.
   * Default: 25.
   */
  readonly pageSize?: number;
  /** `true` for a live helpdesk, whose rate limits (`capabilities.rate`) the checks keep to. A fake has none. Default: `false`. */
  readonly live?: boolean;
  /** Records the exchanges between the simulated platform and the receivers of the checks, with their words. */
  readonly record?: string;
  /** The port of `webhookUrl`, for a helpdesk with a fixed webhook address. Default: a free port. */
  readonly webhookPort?: number;
  /** How long a check waits for one step, in milliseconds. Only failures wait that long. Default: 5,000. */
  readonly stepTimeoutMs?: number;
}
