import { type Request, type RequestHandler, Router } from 'express';
import { type Bridge, type BridgeOptions, createBridge } from '../../bridge/index.js';
import type { Log } from '../../logging/index.js';
import { createLog } from '../../logging/index.js';
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
import { createLogin } from './http/login.js';
import { createPageFiles } from './http/page-files.js';
import { answerFailures, createGuarded } from './http/routes.js';
import { createIdentify, type HostSession } from './http/who.js';
import { createLive } from './live.js';
import { createTeaching } from './teach.js';
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
  /** Where the desk can be reached from outside, for links to conversations. */
  readonly publicUrl?: string;
  /** Whether cookies are for HTTPS only. Default: as the request came, seen through `trust proxy` of Express. */
  readonly secureCookies?: boolean;
  /** Who may show the desk in a frame. Default nobody. */
  readonly framedBy?: 'nobody' | 'same-origin';
  /** Lets this agent in by a link that works once, as for trying the desk out. */
  readonly oneTimeLinkFor?: AgentView;
  /** How conversations are brought to the desk: texts to the user, hours, names. */
  readonly bridge?: Omit<BridgeOptions, 'receiver' | 'adapter'>;
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
  const log = options.log ?? createLog();
  const { shelf, queues } = receiver.storage;
  const book = openBook(shelf, log);
  const agents = createAgents(shelf);
  const sessions = createSessions(shelf);
  const live = createLive(shelf, log);
  const hostSession = options.agents === 'stored' ? null : options.agents;
  const once = oneTimeLinkFor ? createOneTimeLink() : null;
  const identify = createIdentify({ agents, sessions, hostSession });
  const urlOf = (id: string) => publicUrl && `${publicUrl.replace(/\/+$/, '')}/#/${encodeURIComponent(id)}`;
  const bridge = createBridge({ ...options.bridge, receiver, adapter: createDeskAdapter(book, urlOf) });

  const router = Router();
  router.use(deskHeaders(options.framedBy ?? 'nobody'));
  router.use(
    createLogin({
      agents,
      sessions,
      audit: book.audit,
      log,
      hostSession,
      isSecure: (request: Request) => secureCookies ?? request.secure,
      link: once && oneTimeLinkFor ? { once, agent: oneTimeLinkFor } : null,
    }),
  );
  const guarded = createGuarded({ identify, audit: book.audit, log });
  addApiRoutes(guarded, {
    shelf,
    book,
    views: createViews(shelf),
    live,
    agents,
    canned: createCanned(shelf),
    teaching: createTeaching(shelf, receiver.service),
    queues,
    identify,
    canTeach: receiver.service !== null,
  });
  router.use(guarded.router);
  router.use(createPageFiles(identify));
  router.use(answerFailures(log));

  return Object.assign(router as RequestHandler, {
    oneTimePath: once ? `/enter?token=${once.token}` : null,
    agents,
    bridge,
    async close() {
      live.stop();
      await bridge.close();
    },
  });
}
