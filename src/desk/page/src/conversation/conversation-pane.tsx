import { useCallback, useEffect, useState } from 'preact/hooks';
import type { ConversationView, TeamList } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { Icon } from '../shared/icon.js';
import { RichText } from '../shared/rich-text.js';
import { type State, unreadMentionsOf, unreadOf, withEarlier, withOpened } from '../state.js';
import { t } from '../strings/index.js';
import { Composer } from './composer.js';
import { ConversationHeader } from './conversation-header.js';
import { CustomerDetails } from './customer-details.js';
import { useOwnPresence } from './presence.js';
import { Timeline } from './timeline.js';

const meOf = ({ me }: State) => me;

/** One conversation: transcript, timeline, customer details and composer. */
export function ConversationPane({ id }: { readonly id: string }) {
  const { client, store } = useDesk();
  const attempt = useAttempt();
  const view = useDeskState(useCallback(({ opened }: State) => opened.get(id), [id]));
  const connection = useDeskState(useCallback((state: State) => state.connection, []));
  const [hasFailed, setFailed] = useState(false);
  const [isAtEnd, setAtEnd] = useState(true);
  const isLive = connection === 'live';

  useEffect(() => {
    // Agents and teams may have been added. When this fails, the old list is good enough.
    Promise.all([client.agents(), client.call<TeamList>('GET', 'api/teams')]).then(
      ([agents, { teams }]) => store.update((state) => ({ ...state, agents, teams })),
      () => undefined,
    );
  }, [id]);
  useEffect(() => {
    if (view) return;
    void attempt(async () => {
      const loaded = await client.conversation(id);
      store.update((state) => withOpened(state, loaded));
    }).then((isLoaded) => setFailed(!isLoaded));
  }, [id, isLive]);
  const onTyping = useOwnPresence(id);
  useReadReceipts(view, isLive && isAtEnd);

  if (!view && hasFailed)
    return (
      <p class="hint">
        {t('unknown')} <a href="#/">{t('back')}</a>
      </p>
    );
  if (!view) return <p class="hint">…</p>;
  const showEarlier = () =>
    attempt(async () => {
      const earlier = await client.entries(id, view.entries[0]?.seq ?? 0);
      store.update((state) => withEarlier(state, id, earlier));
    });

  return (
    <article class="conversation" onInput={onTyping}>
      <ConversationHeader summary={view.summary} />
      <div class="columns">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <section class="talk" aria-label={t('live')} tabIndex={0}>
          <Transcript view={view} />
          <Timeline view={view} loadEarlier={showEarlier} onSeen={setAtEnd} />
        </section>
        <CustomerDetails view={view} />
      </div>
      <Composer summary={view.summary} entries={view.entries} />
    </article>
  );
}

/** Marks messages as read while the agent can see them. */
function useReadReceipts(view: ConversationView | undefined, isSeen: boolean): void {
  const { client } = useDesk();
  const me = useDeskState(meOf);
  const summary = view?.summary;
  const mentions = summary?.mentions[me.id]?.count ?? 0;
  useEffect(() => {
    if (!summary || !isSeen) return;
    const markRead = (): void => {
      if (document.hidden || (unreadOf(summary, me.id) <= 0 && unreadMentionsOf(summary, me.id) <= 0)) return;
      const { id, customerMessages } = summary;
      // A failure does no harm: the next message tries again.
      client.act(id, 'read', { customerMessages, mentions }).catch(() => undefined);
    };
    markRead();
    document.addEventListener('visibilitychange', markRead);
    return () => document.removeEventListener('visibilitychange', markRead);
  }, [summary?.id, summary?.customerMessages, mentions, isSeen]);
}

const SPEAKERS = { user: 'customer', bot: 'ai', other: 'other' } as const;

/**
 * The messages between customer and bot before the handoff, always shown as text. They are the question while nothing else
 * was said; later, the conversation goes on below, and they take one line.
 */
function Transcript({ view: { transcript, entries } }: { readonly view: ConversationView }) {
  const messages = transcript.filter(({ text }) => text.trim() !== '');
  // Decided once: what the agent is reading does not collapse.
  const [isOpen] = useState(() => !entries.some(({ event }) => event.type === 'message'));
  if (messages.length === 0) return null;
  return (
    <details class="transcript" open={isOpen}>
      <summary>
        <Icon name="chevron-right" />
        {t('transcript')} ·{' '}
        {messages.length === 1 ? t('messageOne') : t('messageCount', { count: messages.length })}
      </summary>
      <ol>
        {messages.map(({ from, text }, index) => (
          <li key={index} class={`line from-${from}`}>
            <span class="speaker">{t(SPEAKERS[from])}</span>
            <RichText text={text} />
          </li>
        ))}
      </ol>
    </details>
  );
}
