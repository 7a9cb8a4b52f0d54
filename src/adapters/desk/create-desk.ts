import { type Request, type RequestHandler, Router } from 'express';
import { type Bridge, type BridgeOptions, createBridge } from '../../bridge/index.js';
import { configError, createLog, type Log, withRedaction } from '../../internal/index.js';
import type { Receiver } from '../../receiver/index.js';
import { createDeskAdapter } from './adapter.js';
import { type Agents, createAgents } from './agents/agents.js';
import { createOneTimeLink } from './agents/one-time-link.js';
import { createSessions } from './agents/sessions.js';
import type { AgentView } from './api.js';
import { openBook } from './book/index.js';
import { createCanned } from './canned.js';
import { addApiRoutes } from './http/api-routes.js';
import { deskHeaders } from './http/headers.js';
import { createLetIn } from './http/let-in.js';
import { createLogin } from './http/login.js';
import { createPageFiles } from './http/page-files.js';
import { answerFailures, answerUnknown, createGuarded } from './http/routes.js';
import { createSameOrigin } from './http/same-origin.js';
import { createIdentify, type HostSession } from './http/who.js';
import { createLive } from './live.js';
import { createParked } from './parked.js';
import { createRefusals } from './refusals.js';
import { createTeaching } from './teach.js';
import { startTidying } from './tidy.js';
import { createViews } from './views.js';

/** Settings of {@link createDesk}. */
export interface DeskOptions {
  /** The receiver whose handoffs come to the desk. */
  readonly receiver: Receiver;
  /**
   * Who may enter: `stored` for agents made with `handoff-kit desk add-agent`, or a function that says who is
   * logged in at the application that the desk is part of.
   */
  readonly agents: 'stored' | HostSession;
  /** Where the desk can be reached from outside: for links to conversations, and to know its own page by. */
  readonly publicUrl?: string;
  /** Whether cookies are for HTTPS only. Default: as the request came, seen through `trust proxy` of Express. */
  readonly secureCookies?: boolean;
  /** Who may show the desk in a frame. Default nobody. */
  readonly framedBy?: 'nobody' | 'same-origin';
  /** Lets this agent in by a link that works once, as for trying the desk out. */
  readonly oneTimeLinkFor?: AgentView;
  /** Whether users get a first reply at once, so that no agent has to hurry. Default `false`. */
  readonly isGreeted?: boolean;
  /** How conversations are brought to the desk: texts to the user, hours, names. */
  readonly bridge?: Omit<BridgeOptions, 'receiver' | 'adapter'>;
  /** How many days ended conversations, the journal and the audit log are kept. Default 30. */
  readonly keepDays?: number;
  /** A pino logger, or one like it. */
  readonly log?: Log;
}

/** A desk: mount it in an Express app, such as `app.use('/desk', desk)`. */
export interface Desk extends RequestHandler {
  /** The path of the one-time link below the mount, where one was asked for. */
  readonly oneTimePath: string | null;
  /** Those who may work here. */
  readonly agents: Agents;
  readonly bridge: Bridge;
  /** Lets go of everything. Close the receiver first. */
  close(): Promise<void>;
}

/**
 * Makes a desk where human agents answer handed-over conversations in the browser.
 *
 * @example
 * app.use('/webhook', receiver);
 * app.use('/desk', createDesk({ receiver, agents: 'stored' }));
 */
export function createDesk(options: DeskOptions): Desk {
  const { receiver, publicUrl, oneTimeLinkFor, secureCookies } = options;
  const keepMs = daysOf(options.keepDays ?? 30);
  const log = withRedaction(options.log ?? createLog());
  const { shelf, queues } = receiver.storage;
  const book = openBook(shelf, log, options.isGreeted ?? false);
  const { audit } = book;
  const agents = createAgents(shelf);
  const sessions = createSessions(shelf);
  const live = createLive(shelf, log);
  const refusals = createRefusals(audit, log);
  const hostSession = options.agents === 'stored' ? null : options.agents;
  const once = oneTimeLinkFor ? createOneTimeLink() : null;
  const identify = createIdentify({ agents, sessions, hostSession });
  const isSameOrigin = createSameOrigin(publicUrl);
  const isSecure = (request: Request) => secureCookies ?? request.secure;
  const letIn = createLetIn({ agents, sessions, audit, isSecure });
  const urlOf = (id: string) => publicUrl && `${publicUrl.replace(/\/+$/, '')}/#/${encodeURIComponent(id)}`;
  const bridge = createBridge({ log, ...options.bridge, receiver, adapter: createDeskAdapter(book, urlOf) });
  const tidying = startTidying({ shelf, sessions, log, keepMs });

  const router = Router();
  router.use(deskHeaders(options.framedBy ?? 'nobody'));
  router.use(
    createLogin({
      agents,
      sessions,
      audit,
      refusals,
      letIn,
      isSameOrigin,
      isSecure,
      hostSession,
      link: once && oneTimeLinkFor ? { once, agent: oneTimeLinkFor } : null,
    }),
  );
  const guarded = createGuarded({ identify, isSameOrigin, refusals });
  addApiRoutes(guarded, {
    shelf,
    book,
    views: createViews(shelf),
    live,
    agents,
    canned: createCanned(shelf),
    teaching: createTeaching(shelf, receiver.service),
    parked: createParked(shelf, queues, book),
    queues,
    identify,
    canTeach: receiver.service !== null,
  });
  router.use(guarded.router, guarded.noteRefusals);
  router.use('/api', answerUnknown(identify));
  router.use(createPageFiles({ identify, hostSession, letIn }));
  router.use(answerFailures(log));

  return Object.assign(router as RequestHandler, {
    oneTimePath: once ? `/enter?token=${once.token}` : null,
    agents,
    bridge,
    async close() {
      tidying.stop();
      live.stop();
      await bridge.close();
    },
  });
}

function daysOf(days: number): number {
  if (Number.isFinite(days) && days > 0) return days * 86_400_000;
  throw configError('keepDays must be a number of days, more than 0.');
}
