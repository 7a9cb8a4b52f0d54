import type { RequestHandler } from 'express';
import type { AgentView } from '../../adapters/desk/index.js';
import {
  type AdapterCheckResult,
  type Bridge,
  type BridgeOptions,
  type BridgeStats,
  createBridge,
} from '../../bridge/index.js';
import type { Log } from '../../internal/index.js';
import type { Receiver } from '../../receiver/index.js';
import type { Settings } from '../settings-schema.js';
import { ADAPTER_CATALOG, type AdapterName, adapterPath } from './catalog.js';

/** Where humans answer, connected. */
export interface Connected {
  readonly name: AdapterName | 'desk';
  /** Where its requests come in: the webhooks of a system, or the pages of the desk. */
  readonly path: string;
  readonly handler: RequestHandler;
  /** A link below the path that lets somebody in once, where one was asked for. */
  readonly oneTimePath: string | null;
  /** Whether a system sends webhooks to the path. */
  readonly hasWebhooks: boolean;
  /** Looks whether it is reachable and set up. Never rejects. */
  check(): Promise<readonly AdapterCheckResult[]>;
  /** What was counted since the start. */
  stats(): BridgeStats;
  /** Ends it, within a time. Close the receiver first. */
  close(options: { readonly timeoutMs: number }): Promise<void>;
}

/** What an adapter is connected with. */
export interface ConnectParts {
  readonly receiver: Receiver;
  readonly log: Log;
  /** Makes a link that lets this agent in once, where it is the desk. */
  readonly oneTimeLinkFor?: AgentView | undefined;
  /** Whether the desk may be shown in a frame of its own origin. */
  readonly framed?: boolean | undefined;
}

/** What settings say of a bridge, whatever the adapter. */
type CommonOptions = Omit<BridgeOptions, 'receiver' | 'adapter'>;

/** Where the desk is. */
export const DESK_PATH = '/desk';

/**
 * Which adapter it is: the desk unless told otherwise, where agents could answer and nothing else does. Where nothing
 * is stored no agent could log in.
 */
export function adapterOf({
  adapter,
  serviceBaseUrl,
  autoReply,
  databaseUrl,
}: Pick<Settings, 'adapter' | 'serviceBaseUrl' | 'autoReply' | 'databaseUrl'>):
  | AdapterName
  | 'desk'
  | 'none' {
  const isFit = serviceBaseUrl !== undefined && autoReply === undefined && databaseUrl.kind !== 'none';
  return adapter ?? (isFit ? 'desk' : 'none');
}

/** Connects the receiver with where humans answer. Nothing is loaded any more, so that no event comes in between. */
export type Connect = (parts: ConnectParts) => Connected;

/** Loads where humans answer, and nothing of the other systems; `null` where settings say nowhere. */
export async function loadAdapter(settings: Settings): Promise<Connect | null> {
  const name = adapterOf(settings);
  if (name === 'none') return null;
  const options = bridgeOptions(settings);
  if (name === 'desk') return loadDesk(options, settings.greeting !== undefined);
  const adapter = await ADAPTER_CATALOG[name].make(settings);
  return ({ receiver, log }) => {
    const bridge = createBridge({ ...options, log, receiver, adapter });
    const handler: RequestHandler = (request, response, next) => bridge.webhook(request, response, next);
    return {
      name,
      path: adapterPath(name),
      handler,
      oneTimePath: null,
      hasWebhooks: adapter.capabilities.inbound.some((way) => way === 'webhook'),
      ...countedAndChecked(bridge),
      close: (within) => bridge.close(within),
    };
  };
}

async function loadDesk(options: CommonOptions, isGreeted: boolean): Promise<Connect> {
  const { createDesk } = await import('../../adapters/desk/index.js');
  return ({ receiver, log, oneTimeLinkFor, framed }) => {
    const desk = createDesk({
      receiver,
      agents: 'stored',
      bridge: { ...options, log },
      isGreeted,
      log,
      ...(oneTimeLinkFor && { oneTimeLinkFor }),
      ...(framed && { framedBy: 'same-origin' as const }),
    });
    return {
      name: 'desk',
      path: DESK_PATH,
      handler: desk,
      oneTimePath: desk.oneTimePath,
      hasWebhooks: false,
      ...countedAndChecked(desk.bridge),
      async close(within) {
        // Its bridge ends once, with the time that it was given first.
        const bridged = desk.bridge.close(within);
        await desk.close();
        await bridged;
      },
    };
  };
}

const countedAndChecked = (made: Bridge): Pick<Connected, 'check' | 'stats'> => ({
  check: () => made.check(),
  stats: () => made.stats(),
});

function bridgeOptions({ agentNames, businessHours, outsideHours, unavailable }: Settings): CommonOptions {
  return {
    agentNames,
    ...(businessHours && { hours: businessHours }),
    ...(outsideHours !== undefined && { whenClosed: 'say' as const }),
    ...(unavailable !== undefined && { whenUnopened: 'apologise' as const }),
    messages: {
      ...(outsideHours !== undefined && { outsideHours }),
      ...(unavailable !== undefined && { unavailable }),
    },
  };
}
