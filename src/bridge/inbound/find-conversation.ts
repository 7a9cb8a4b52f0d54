import { setTimeout as sleep } from 'node:timers/promises';
import type { Conversation, ConversationState } from '../../handoff/index.js';
import { settlesWithin } from '../../internal/index.js';
import { AdapterError } from '../adapter/adapter-types.js';
import { type BridgeContext, sessionKey } from '../bridge-context.js';
import type { ConversationOpener } from '../outbound/open-conversation.js';
import { IN_DOUBT_MS, type Orphans } from '../outbound/orphans.js';

/**
 * The conversation of an event in the helpdesk.
 *
 * - `linked`: the conversation is known.
 * - `ended`: it was a handoff, of an earlier session or of a request that failed.
 * - `foreign`: it is no handoff. `isCertain` is `false` when an opening whose outcome was never known may have created
 *   it.
 */
export type FindResult =
  | { readonly kind: 'linked'; readonly conversation: Conversation }
  | { readonly kind: 'ended' }
  | { readonly kind: 'foreign'; readonly isCertain: boolean };

/** Finds the conversations of events. */
export interface ConversationFinder {
  /**
   * Finds the conversation that has an id in the helpdesk. Rejects while it cannot be told from one that is being
   * opened, so that the event comes again. The time is that of the event's arrival: it waits for two seconds from then.
   */
  find(externalId: string, arrivedAt: number): Promise<FindResult>;
  /** Whether an opening that is under way may have created the conversation, so that `find` may ask the helpdesk. */
  mayBeOpening(externalId: string): Promise<boolean>;
}

const OPEN_STATES: readonly ConversationState[] = ['requested', 'waiting', 'connected'];

/** Helpdesks wait a few seconds for the webhook's answer. */
const WAIT_MS = 2_000;
const LOOK_EVERY_MS = 100;
/** Most opens have returned by then. After that the helpdesk is asked. */
const ASK_AFTER_MS = 1_000;
/** The helpdesk is asked about one opening at most this often, rarely about an old one, and about few at once. */
const askEveryMs = (opening: Conversation): number => Math.max(2_000, age(opening) / 10);
const MAX_AT_ONCE = 10;
/** After a longer downtime, openings this old are still asked about; no event is refused because of them. */
const LOOK_BACK_MS = 3_600_000;
/** Conversations are without a link only while they are opened, so there are few. */
const MAX_OPENINGS = 100;

const age = ({ changedAt }: Conversation): number => Date.now() - changedAt.getTime();

/** What the helpdesk says about one opening. */
interface Inquiry {
  readonly askedAt: number;
  readonly answered: Promise<void>;
  /** `undefined`: not known. The conversation may exist all the same, since `open` can still be under way. */
  externalId: string | undefined;
}

/**
 * An agent can write before the link is stored: the response to `open` is on its way,
 * storing the link failed, or the process died in between.
 *
 *     linked? ── yes ──> linked
 *       │ no
 *     openings without a link, in any process? ── no ──> foreign
 *       │ yes
 *     adapter.find for each ──> this one: link it ──> linked
 *       │                  └──> all have another one ──> foreign
 *       │ not known
 *     look again for two seconds, then reject; once the openings are older than ten minutes: foreign
 */
export function createConversationFinder(
  { adapter, lifecycle, calls, auth, log }: BridgeContext,
  opener: ConversationOpener,
  orphans: Orphans,
): ConversationFinder {
  const { store } = lifecycle;
  const inquiries = new Map<string, Inquiry>();

  const recorded = async (conversations: readonly Conversation[]): Promise<Conversation[]> => {
    const isRecorded = await Promise.all(conversations.map((each) => orphans.mayExist(each)));
    return conversations.filter((_conversation, index) => isRecorded[index]);
  };

  const unlinkedFor = (ms: number, states?: readonly ConversationState[]): Promise<Conversation[]> =>
    store.list({
      linked: false,
      changedAfter: new Date(Date.now() - ms),
      limit: MAX_OPENINGS,
      ...(states && { states }),
    });

  /** Sessions that ended without a link, although an opening is recorded. */
  const findOrphans = async (): Promise<Conversation[]> => {
    const unlinked = await unlinkedFor(IN_DOUBT_MS);
    const earlier = unlinked.map((each) => ({ ...each, session: each.session - 1 }));
    return recorded([...unlinked, ...earlier.filter(({ session }) => session > 0)]);
  };

  const ask = async (opening: Conversation): Promise<string | undefined> => {
    try {
      const found = await opener.find(opening);
      // Before the handoff is accepted, only the process that handles the request may link it: the user may be refused.
      if (found && opening.state !== 'requested') await opener.link(opening, found);
      return found?.externalId;
    } catch (error) {
      if (error instanceof AdapterError && error.kind === 'auth') auth.refused(error);
      else log.warn({ conversationId: opening.id, err: error }, 'opening still in doubt');
      return undefined;
    }
  };

  const startInquiry = (opening: Conversation): void => {
    const key = sessionKey(opening);
    const inquiry: Inquiry = {
      askedAt: Date.now(),
      externalId: inquiries.get(key)?.externalId,
      answered: ask(opening).then((externalId) => {
        inquiry.externalId ??= externalId;
      }),
    };
    inquiries.set(key, inquiry);
  };

  const forgetOld = (): void => {
    for (const [key, { askedAt }] of inquiries)
      if (askedAt < Date.now() - LOOK_BACK_MS) inquiries.delete(key);
  };

  const askedAt = (opening: Conversation): number => inquiries.get(sessionKey(opening))?.askedAt ?? 0;

  /** Asks about the openings that were not asked about for the longest time. */
  const askAbout = async (openings: readonly Conversation[], withinMs: number): Promise<void> => {
    forgetOld();
    openings
      .filter((opening) => age(opening) >= ASK_AFTER_MS)
      .filter((opening) => Date.now() - askedAt(opening) >= askEveryMs(opening))
      .sort((one, other) => askedAt(one) - askedAt(other))
      .slice(0, MAX_AT_ONCE)
      .forEach(startInquiry);
    const running = openings.flatMap((opening) => inquiries.get(sessionKey(opening))?.answered ?? []);
    await settlesWithin(Promise.all(running), withinMs);
  };

  /** Whether an opening may have created the conversation with this id. */
  const mayHave =
    (externalId: string) =>
    (opening: Conversation): boolean => {
      const known = inquiries.get(sessionKey(opening))?.externalId;
      return known === undefined || known === externalId;
    };

  const findLinked = async (externalId: string): Promise<FindResult | null> => {
    const conversation = await store.findByLink(adapter.name, externalId);
    return conversation && { kind: 'linked', conversation };
  };

  const isCertainlyForeign = async (externalId: string): Promise<boolean> => {
    if ((await findOrphans()).some(mayHave(externalId))) return false;
    // After the records were read, because it is noted before a new session hides one.
    return !(await orphans.existedLately());
  };

  const findUnlinked = async (externalId: string, isInDoubt: boolean): Promise<FindResult> => {
    const isCertain = !isInDoubt && (await isCertainlyForeign(externalId));
    // Last, because it is noted before a record is removed.
    return (await orphans.wasOpened(externalId)) ? { kind: 'ended' } : { kind: 'foreign', isCertain };
  };

  const openingsOf = async (externalId: string): Promise<Conversation[]> =>
    (await recorded(await unlinkedFor(LOOK_BACK_MS, OPEN_STATES))).filter(mayHave(externalId));

  const find: ConversationFinder['find'] = async (externalId, arrivedAt) => {
    const known = await findLinked(externalId);
    if (known) return known;
    for (;;) {
      const openings = await openingsOf(externalId);
      const remainingMs = Math.max(0, arrivedAt + WAIT_MS - Date.now());
      await askAbout(openings, remainingMs);
      // After the openings were read: one that was linked meanwhile is not among them.
      const linked = await findLinked(externalId);
      if (linked) return linked;
      const inDoubt = openings.filter(mayHave(externalId));
      if (!inDoubt.some((opening) => age(opening) < IN_DOUBT_MS))
        return findUnlinked(externalId, inDoubt.length > 0);
      if (remainingMs === 0 || calls.ended) {
        throw new AdapterError(
          'transient',
          `${adapter.name}: this event may be about a conversation that is being opened. It is refused until that is known.`,
        );
      }
      log.debug({ externalId }, 'event for an unknown conversation; waiting for openings');
      await sleep(LOOK_EVERY_MS);
    }
  };

  return { find, mayBeOpening: async (externalId) => (await openingsOf(externalId)).length > 0 };
}
