import type { RequestHandler } from 'express';
import { type AgentView, createDesk } from '../../adapters/desk/index.js';
import { type BridgeOptions, createBridge } from '../../bridge/index.js';
import type { Log } from '../../logging/index.js';
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
  close(): Promise<void>;
}

/** What {@link connectAdapter} needs beside settings. */
export interface ConnectParts {
  readonly receiver: Receiver;
  readonly log: Log;
  /** Makes a link that lets this agent in once, where it is the desk. */
  readonly oneTimeLinkFor?: AgentView | undefined;
  /** Whether the desk may be shown in a frame of its own origin. */
  readonly framed?: boolean | undefined;
}

/** Where the desk is. */
export const DESK_PATH = '/desk';

/** Which adapter it is: the desk unless told otherwise, where agents could answer and nothing else does. */
export function adapterOf({ adapter, serviceBaseUrl, autoReply }: Settings): AdapterName | 'desk' | 'none' {
  return adapter ?? (serviceBaseUrl !== undefined && autoReply === undefined ? 'desk' : 'none');
}

/** Connects the receiver with where humans answer; `null` where settings say nowhere. */
export function connectAdapter(settings: Settings, parts: ConnectParts): Connected | null {
  const name = adapterOf(settings);
  if (name === 'none') return null;
  const { receiver, log } = parts;
  const options = { ...bridgeOptions(settings), log };
  if (name === 'desk') return connectDesk(options, parts, settings.greeting !== undefined);
  const adapter = ADAPTER_CATALOG[name].make(settings);
  const bridge = createBridge({ ...options, receiver, adapter });
  const handler: RequestHandler = (request, response, next) => bridge.webhook(request, response, next);
  return { name, path: adapterPath(name), handler, oneTimePath: null, close: () => bridge.close() };
}

function connectDesk(
  bridge: Omit<BridgeOptions, 'receiver' | 'adapter'>,
  { receiver, log, oneTimeLinkFor, framed }: ConnectParts,
  isGreeted: boolean,
): Connected {
  const desk = createDesk({
    receiver,
    agents: 'stored',
    bridge,
    isGreeted,
    log,
    ...(oneTimeLinkFor && { oneTimeLinkFor }),
    ...(framed && { framedBy: 'same-origin' as const }),
  });
  const { oneTimePath } = desk;
  return { name: 'desk', path: DESK_PATH, handler: desk, oneTimePath, close: () => desk.close() };
}

function bridgeOptions({
  agentNames,
  businessHours,
  outsideHours,
  unavailable,
}: Settings): Omit<BridgeOptions, 'receiver' | 'adapter'> {
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
