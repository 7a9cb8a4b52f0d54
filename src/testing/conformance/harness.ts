import type { Adapter } from '../../bridge/index.js';

/** Where an adapter that is tested finds its system. */
export interface AdapterFactoryInput<System extends HarnessSystem = HarnessSystem> {
  /** The address of the system's API. It leads through the kit's proxy, which injects faults: use it for every request. */
  readonly baseUrl: string;
  /** `wrong`: make the adapter with credentials that the system does not know. */
  readonly credentials: 'right' | 'wrong';
  /** What `harness.start` returned, for whatever else the adapter needs: ids, secrets. */
  readonly system: System;
}

/** Makes a new instance of the adapter that is tested. The kit makes several, and disposes of each. */
export type AdapterFactory<System extends HarnessSystem = HarnessSystem> = (
  site: AdapterFactoryInput<System>,
) => Adapter | Promise<Adapter>;

/** A conversation as its agents see it. */
export interface SystemConversation {
  /** Whether agents can see that it is over: its status, or where there is none, the words that say so. */
  readonly isClosed: boolean;
  /**
   * What agents read that did not come from agents, oldest first, with the transcript of the time before. As
   * they read it: where the system keeps `&lt;` and shows `<`, it is `<`.
   */
  readonly shown: readonly string[];
  /** The system's own id of the user, so that two users can be told apart; `null` where it has no such thing. */
  readonly customer: string | null;
}

/**
 * What an agent does, in the system's own way and as the agent, not as the adapter's account. Each resolves when
 * the system has taken it; the system may tell the adapter later.
 */
export interface SystemAgent {
  /** Writes to the user. `text` is what the agent types and the user should read. */
  reply(externalId: string, text: string): Promise<void>;
  /** Writes to other agents only. Without it: `unsupported.note`. */
  note?(externalId: string, text: string): Promise<void>;
  /** Ends the conversation. Without it: `unsupported.close`. */
  close?(externalId: string): Promise<void>;
  /** Writes to the user and ends the conversation in one act. Without it: `unsupported.replyAndClose`. */
  replyAndClose?(externalId: string, text: string): Promise<void>;
  /** Takes the conversation. Without it: `unsupported.join`. */
  join?(externalId: string): Promise<void>;
}

/** A system that runs, or a fake of it. */
export interface HarnessSystem {
  /** The address of its API, as an adapter would be given it. */
  readonly baseUrl: string;
  /** The ids of the conversations that adapters made since this `start`, in any order. */
  list(): Promise<readonly string[]>;
  /** What agents see of a conversation, by the id that `open` gave. */
  read(externalId: string): Promise<SystemConversation>;
  readonly agent: SystemAgent;
  /** Ends what `start` began. */
  stop(): Promise<void>;
}

/** What a system may lack. */
export type HarnessFeature =
  /** Agents cannot write among themselves. */
  | 'note'
  /** Agents cannot end a conversation. */
  | 'close'
  /** Agents cannot write and end a conversation in one act. */
  | 'replyAndClose'
  /** Agents cannot take a conversation, or the system does not tell. */
  | 'join'
  /** Webhooks carry nothing that shows who sent them. */
  | 'signature'
  /** Webhooks carry a shared secret that does not depend on the body. */
  | 'signedBody'
  /** Webhooks are signed without their time. */
  | 'signedTime';

/** An answer that the kit's proxy gives in place of the system. */
export interface FaultAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a short text. */
  readonly body?: string;
}

/** What the conformance kit must know of a human-service system to judge an adapter for it. */
export interface AdapterHarness<System extends HarnessSystem = HarnessSystem> {
  /** The system's name, for the titles of tests. */
  readonly name: string;
  /**
   * Starts the system or a fake of it, or reaches one that runs. Called once for each check. Systems with
   * webhooks send them to `webhookUrl`, which takes any path and answers 200 at once; the kit passes them on to
   * the bridge, and repeats, changes and holds them as a check wants.
   */
  start(site: { readonly webhookUrl: string }): Promise<System>;
  /** Credentials and secrets that the adapter is given. They must be in no log line and no error. */
  readonly secrets: readonly string[];
  /**
   * Pieces that the system lacks, and checks (by id) that cannot hold for it, each with the reason. What is
   * left out is printed with its reason.
   */
  readonly unsupported?: Readonly<Record<string, string>>;
  /** How the system refuses, where it differs from plain HTTP: 401, 429 with `Retry-After`, 503. */
  readonly faults?: {
    readonly unauthorized?: FaultAnswer;
    readonly rateLimited?: (retryAfterSeconds: number) => FaultAnswer;
    readonly unavailable?: FaultAnswer;
  };
  /** The port of `webhookUrl`, for a system whose webhook address is fixed before the tests run. Default: any. */
  readonly webhookPort?: number;
  /** How long a thing may take that should happen, in milliseconds. Default 5,000. It is waited out by failures only. */
  readonly stepTimeoutMs?: number;
}
