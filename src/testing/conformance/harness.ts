import type { Adapter } from '../../bridge/index.js';

/** The argument of an {@link AdapterFactory}. */
export interface AdapterFactoryInput<System extends HarnessSystem = HarnessSystem> {
  /** The address of the system's API, through the fault-injecting proxy. Use it for every request. */
  readonly baseUrl: string;
  /** `wrong`: create the adapter with credentials that the system refuses. */
  readonly credentials: 'right' | 'wrong';
  /** The result of `harness.start`, for other settings such as ids and secrets. */
  readonly system: System;
}

/** Creates a new instance of the adapter under test. The kit creates several and disposes of each. */
export type AdapterFactory<System extends HarnessSystem = HarnessSystem> = (
  site: AdapterFactoryInput<System>,
) => Adapter | Promise<Adapter>;

/** A conversation as its agents see it. */
export interface SystemConversation {
  /** Whether agents see that it has ended: by its status, or by a message if the system has no status. */
  readonly isClosed: boolean;
  /**
   * The texts that agents see and did not write themselves, oldest first, including the transcript. As displayed:
   * if the system stores `&lt;` and shows `<`, return `<`.
   */
  readonly shown: readonly string[];
  /** The texts of replies that agents see marked as undelivered. Only for systems that have such a mark. */
  readonly undelivered?: readonly string[];
  /** The system's id of the user, to tell two users apart; `null` if it has none. */
  readonly customer: string | null;
}

/**
 * Actions of an agent, performed in the system with the agent's account, not the adapter's. Each resolves when the
 * system has stored it; the adapter may learn of it later.
 */
export interface SystemAgent {
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
   * Sends a file to the user, with a text. Resolves to the address at which the user can open it, or `null` when only
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

/** A running system, or a fake of it. */
export interface HarnessSystem {
  /** The address of its API, as configured in an adapter. */
  readonly baseUrl: string;
  /** The ids of the conversations created by adapters since this `start`, in any order. */
  list(): Promise<readonly string[]>;
  /** A conversation as agents see it. `externalId` is the id that `open` returned. */
  read(externalId: string): Promise<SystemConversation>;
  readonly agent: SystemAgent;
  /** Stops the system, or removes what `start` has set up. */
  stop(): Promise<void>;
}

/** Features that a system may lack. */
export type HarnessFeature =
  /** Internal notes. */
  | 'note'
  /** Agents can close a conversation. */
  | 'close'
  /** Agents can write and close in one step. */
  | 'replyAndClose'
  /** Agents can take a conversation, and the system reports it. */
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

/** An answer that the fault proxy gives instead of the system. */
export interface FaultAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a short text. */
  readonly body?: string;
}

/** Describes a helpdesk to the conformance kit. */
export interface AdapterHarness<System extends HarnessSystem = HarnessSystem> {
  /** The name of the system, for test titles. */
  readonly name: string;
  /**
   * Starts the system or a fake of it, or connects to a running one. Called once per check. Configure the system to
   * send its webhooks to `webhookUrl`, which accepts any path and answers 200 at once; the kit forwards them to the
   * bridge, and repeats, changes or holds them as a check requires.
   */
  start(site: { readonly webhookUrl: string }): Promise<System>;
  /** Credentials and secrets of the adapter. They must not appear in log lines and errors. */
  readonly secrets: readonly string[];
  /**
   * Features that the system lacks, and ids of checks that cannot pass, each with the reason. Skipped checks are
   * printed with their reason.
   */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** The system's error answers. Default: 401, 404, 422, 429 with `Retry-After`, 503. */
  readonly faults?: {
    readonly unauthorized?: FaultAnswer;
    /** The conversation does not exist any more. */
    readonly gone?: FaultAnswer;
    /** The request is refused, and would be refused again. */
    readonly refused?: FaultAnswer;
    readonly rateLimited?: (retryAfterSeconds: number) => FaultAnswer;
    readonly unavailable?: FaultAnswer;
  };
  /** The port of `webhookUrl`, for a system with a fixed webhook address. Default: a free port. */
  readonly webhookPort?: number;
  /** How long a check waits for one step, in milliseconds. Only failures wait that long. Default: 5,000. */
  readonly stepTimeoutMs?: number;
}
