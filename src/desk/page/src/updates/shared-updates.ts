import type { ConversationUpdate, DeskSignal } from '../../../api.js';
import { type Connection, followUpdates, type LiveHandlers } from './live-updates.js';

/**
 * One event stream per browser, however many tabs: browsers open six connections to a server, and each stream takes one.
 * The tab that holds a lock leads: it has the stream, and forwards everything to the others.
 *
 *     server ──> stream of the leading tab ──> channel ──> other tabs
 *                   ^                            │
 *                   └──── "I have all up to 17" ─┘
 *
 * When the leading tab is closed, the browser gives the lock to another one.
 */
type Message =
  | { readonly type: 'update'; readonly update: ConversationUpdate }
  | { readonly type: 'signal'; readonly signal: DeskSignal }
  | { readonly type: 'connection'; readonly connection: Connection }
  | { readonly type: 'logged-out' }
  /** Another tab leads now, or still does. */
  | { readonly type: 'leads' }
  /** A tab asks for the updates after this number. */
  | { readonly type: 'need'; readonly after: number };

const NAME = `handoff-desk-updates ${location.pathname}`;

/** How often the leading tab says that it still leads. Browsers slow this down to once a minute in hidden tabs. */
const LEADS_EVERY_MS = 15_000;
/** A leading tab that is silent for this long is frozen, so another one steals the lock. */
const LEADER_TIMEOUT_MS = 150_000;
/** Updates kept for tabs that ask. For a tab that is further behind, the stream restarts. */
const MAX_KEPT = 1_000;

/** Follows the updates after `seq`, with one stream for all tabs. Returns a function that stops it. */
export function followShared(seq: number, handlers: LiveHandlers): () => void {
  // Browsers have no locks on pages without HTTPS, except on localhost.
  if (!('locks' in navigator)) return followUpdates(seq, handlers);
  const channel = new BroadcastChannel(NAME);
  const post = (message: Message): void => channel.postMessage(message);
  const stopping = new AbortController();
  let lastSeq = seq;
  let leading: { readonly answer: (after: number) => void } | null = null;
  let leaderTimer: ReturnType<typeof setTimeout> | undefined;

  const apply = (update: ConversationUpdate): void => {
    if (update.seq <= lastSeq) return;
    lastSeq = update.seq;
    handlers.onUpdate(update);
  };

  /** Leads until the page stops, or another tab has taken the lock. */
  const lead = (isOver: Promise<unknown>): Promise<unknown> => {
    let kept: ConversationUpdate[] = [];
    let keptAfter = lastSeq;
    let connection: Connection = 'connecting';
    let lastSignal: DeskSignal | null = null;
    let stopStream = (): void => undefined;

    const startStream = (after: number): void => {
      stopStream();
      kept = [];
      keptAfter = after;
      stopStream = followUpdates(after, {
        onUpdate(update) {
          kept.push(update);
          if (kept.length > MAX_KEPT) keptAfter = kept.shift()?.seq ?? keptAfter;
          post({ type: 'update', update });
          apply(update);
        },
        onSignal(signal) {
          lastSignal = signal;
          post({ type: 'signal', signal });
          handlers.onSignal(signal);
        },
        onConnection(next) {
          connection = next;
          post({ type: 'connection', connection });
          handlers.onConnection(next);
        },
        onLoggedOut() {
          post({ type: 'logged-out' });
          handlers.onLoggedOut();
        },
      });
    };

    clearTimeout(leaderTimer);
    startStream(lastSeq);
    leading = {
      answer(after) {
        post({ type: 'connection', connection });
        if (lastSignal) post({ type: 'signal', signal: lastSignal });
        if (after < keptAfter) startStream(after);
        else for (const update of kept) if (update.seq > after) post({ type: 'update', update });
      },
    };
    post({ type: 'leads' });
    const timer = setInterval(() => post({ type: 'leads' }), LEADS_EVERY_MS);
    return isOver.finally(() => {
      clearInterval(timer);
      stopStream();
      leading = null;
    });
  };

  const whenStopped = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve));

  const waitToLead = (options: LockOptions): void => {
    void navigator.locks
      .request(NAME, options, () => (stopping.signal.aborted ? null : lead(whenStopped)))
      .catch(() => {
        // Aborted, or another tab took the lock: wait in line again.
        leading = null;
        if (!stopping.signal.aborted) waitToLead({ signal: stopping.signal });
      });
  };

  const expectLeader = (): void => {
    clearTimeout(leaderTimer);
    leaderTimer = setTimeout(() => waitToLead({ steal: true }), LEADER_TIMEOUT_MS);
  };

  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (data.type === 'need') return leading?.answer(data.after);
    if (leading) return;
    expectLeader();
    if (data.type === 'update') apply(data.update);
    else if (data.type === 'signal') handlers.onSignal(data.signal);
    else if (data.type === 'connection') handlers.onConnection(data.connection);
    else if (data.type === 'logged-out') handlers.onLoggedOut();
    else post({ type: 'need', after: lastSeq });
  });

  handlers.onConnection('connecting');
  expectLeader();
  waitToLead({ signal: stopping.signal });
  post({ type: 'need', after: lastSeq });
  return () => {
    stopping.abort();
    clearTimeout(leaderTimer);
    channel.close();
  };
}
