import type { RequestHandler } from 'express';
import {
  type AdapterCheckResult,
  type Bridge,
  type BridgeOptions,
  type BridgeStats,
  createBridge,
} from '../bridge/index.js';
import type { AgentView, DeskOptions, EscalationTargets, HostSession } from '../desk/index.js';
import type { Log } from '../internal/index.js';
import type { Receiver } from '../receiver/index.js';
import { ADAPTERS, type AdapterName, adapterPath } from './settings/adapter-settings.js';
import { chooseAdapter, type Settings } from './settings/settings-schema.js';

/** The desk or an adapter, connected to the receiver. */
export interface ConnectedAdapter {
  readonly name: AdapterName | 'desk';
  /** The path of its requests: the webhooks of the helpdesk, or the pages of the desk. */
  readonly path: string;
  readonly handler: RequestHandler;
  /** Links below {@link path} that each log one agent in once, as they were requested. */
  readonly oneTimePaths: readonly string[];
  /** Whether the helpdesk sends webhooks; otherwise it is polled. */
  readonly hasWebhooks: boolean;
  /** Checks whether the helpdesk is reachable and configured. Never rejects. */
  check(): Promise<readonly AdapterCheckResult[]>;
  /** Counts since the start. */
  stats(): BridgeStats;
  /** Whether the helpdesk answers, as far as known. */
  isAvailable(): boolean;
  /** Stops it within a time. Close the receiver first. */
  close(options: { readonly timeoutMs: number }): Promise<void>;
}

/** The parts that an adapter is connected with. */
export interface ConnectParts {
  readonly receiver: Receiver;
  readonly log: Log;
  /** With the desk: creates links that log these agents in once. */
  readonly oneTimeLinksFor?: readonly AgentView[] | undefined;
  /** With the desk: tells which agent a request comes from. Default: agents log in at the desk. */
  readonly deskAgents?: HostSession | undefined;
}

/** Connects a loaded adapter. It is synchronous, so that no event arrives in between. */
export type ConnectAdapter = (parts: ConnectParts) => ConnectedAdapter;

/** Options of a bridge that every adapter shares. */
type CommonBridgeOptions = Omit<BridgeOptions, 'receiver' | 'adapter'>;

const DESK_PATH = '/desk';

/** Loads the adapters of the settings and no others: that of ADAPTER first, then those of BOT_ADAPTERS. */
export async function loadAdapters(settings: Settings): Promise<readonly ConnectAdapter[]> {
  const name = chooseAdapter(settings);
  // The desk is also the default, and may have bots of its own all the same.
  const ofBots = [...(settings.botAdapters ?? [])].filter(([each]) => each !== name);
  return Promise.all([
    ...(name === 'none' ? [] : [loadAdapter(name, settings)]),
    ...ofBots.map(([each, botIds]) => loadAdapter(each, settings, botIds)),
  ]);
}

async function loadAdapter(
  name: AdapterName | 'desk',
  settings: Settings,
  botIds?: readonly string[],
): Promise<ConnectAdapter> {
  const options = { ...bridgeOptions(settings), ...(botIds && { botIds }) };
  if (name === 'desk') return loadDesk(options, settings);
  const adapter = await ADAPTERS[name].create(settings.helpdesks ?? {});
  return ({ receiver, log }) => {
    const bridge = createBridge({ ...options, log, receiver, adapter });
    const handler: RequestHandler = (request, response, next) => bridge.webhook(request, response, next);
    return {
      name,
      path: adapterPath(name),
      handler,
      oneTimePaths: [],
      hasWebhooks: adapter.capabilities.inbound.some((way) => way === 'webhook'),
      ...checkAndStats(bridge),
      close: (within) => bridge.close(within),
    };
  };
}

async function loadDesk(options: CommonBridgeOptions, settings: Settings): Promise<ConnectAdapter> {
  const { createDesk } = await import('../desk/index.js');
  return ({ receiver, log, oneTimeLinksFor, deskAgents }) => {
    const desk = createDesk({
      receiver,
      agents: deskAgents ?? 'stored',
      bridge: { ...options, log },
      ...deskOptions(settings),
      log,
      ...(oneTimeLinksFor && { oneTimeLinksFor }),
    });
    return {
      name: 'desk',
      path: DESK_PATH,
      handler: desk,
      oneTimePaths: desk.oneTimePaths,
      hasWebhooks: false,
      ...checkAndStats(desk.bridge),
      close: (within) => desk.close(within),
    };
  };
}

/** The options of the desk that have settings. */
function deskOptions(
  settings: Settings,
): Pick<DeskOptions, 'publicUrl' | 'idleMinutes' | 'openId' | 'assist' | 'escalation'> {
  const {
    publicUrl,
    deskIdleMinutes,
    deskAssistBaseUrl,
    deskOpenidIssuer,
    deskOpenidRoles,
    deskOpenidRoleClaim,
  } = settings;
  return {
    ...(publicUrl !== undefined && { publicUrl: `${publicUrl}${DESK_PATH}` }),
    ...(deskIdleMinutes !== undefined && { idleMinutes: deskIdleMinutes }),
    ...(deskAssistBaseUrl !== undefined && {
      assist: {
        baseUrl: deskAssistBaseUrl,
        model: settings.deskAssistModel ?? '',
        ...(settings.deskAssistApiKey !== undefined && { apiKey: settings.deskAssistApiKey }),
        ...(settings.deskAssistRedact !== undefined && { redact: settings.deskAssistRedact }),
      },
    }),
    ...(deskOpenidIssuer !== undefined && {
      openId: {
        issuer: deskOpenidIssuer,
        clientId: settings.deskOpenidClientId ?? '',
        clientSecret: settings.deskOpenidClientSecret ?? '',
        roleClaim: deskOpenidRoleClaim ?? 'groups',
        roles: deskOpenidRoles ?? {},
      },
    }),
    ...(settings.deskEscalationMinutes !== undefined && {
      escalation: { afterMinutes: settings.deskEscalationMinutes, to: escalationTargets(settings) },
    }),
  };
}

function escalationTargets(settings: Settings): EscalationTargets {
  const {
    deskEscalationSlackUrl: slack,
    deskEscalationWebhookUrl: webhook,
    deskEscalationEmail: to,
  } = settings;
  const { deskEscalationSmtpUrl: smtpUrl = '', deskEscalationEmailFrom: from = '' } = settings;
  return {
    ...(slack !== undefined && { slack }),
    ...(webhook !== undefined && { webhook }),
    ...(to !== undefined && { email: { smtpUrl, from, to } }),
  };
}

const checkAndStats = (bridge: Bridge): Pick<ConnectedAdapter, 'check' | 'stats' | 'isAvailable'> => ({
  check: () => bridge.check(),
  stats: () => bridge.stats(),
  isAvailable: () => bridge.isAvailable(),
});

function bridgeOptions(settings: Settings): CommonBridgeOptions {
  const { agentNames, businessHours, outsideHours, unavailable, delayed, undelivered } = settings;
  return {
    agentNames,
    ...(businessHours && { hours: businessHours }),
    ...(outsideHours !== undefined && { whenClosed: 'apologise' as const }),
    ...(unavailable !== undefined && { whenUnavailable: 'apologise' as const }),
    messages: {
      ...(outsideHours !== undefined && { outsideHours }),
      ...(unavailable !== undefined && { unavailable }),
      ...(delayed !== undefined && { delayed }),
      ...(undelivered !== undefined && { undelivered }),
    },
  };
}

/**
 * Logs whether the helpdesk is reachable and configured. A problem does not prevent the start: it may be
 * temporary, and until it is solved users get the answer for an unavailable helpdesk.
 */
export async function checkAtStart(
  { name, check }: Pick<ConnectedAdapter, 'name' | 'check'>,
  log: Log,
  isStopping: () => boolean,
): Promise<void> {
  const results = await check();
  // Shutdown aborts the check, so its results mean nothing.
  if (isStopping()) return;
  const failed = results.filter(({ ok }) => !ok);
  const hint = name === 'desk' ? '' : ' See: handoff-kit adapter check';
  for (const { name: checkName, detail } of failed) {
    log.warn({ adapter: name, check: checkName }, `${name}: check failed: ${checkName}: ${detail}${hint}`);
  }
  if (failed.length === 0) log.info({ adapter: name }, `${name} is reachable and set up`);
}
