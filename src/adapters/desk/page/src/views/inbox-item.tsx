import { useCallback } from 'preact/hooks';
import { whoIs } from '../announce.js';
import { useDeskState } from '../desk-context.js';
import { addressOf } from '../route.js';
import { type State, unreadOf } from '../state.js';
import { moment, t } from '../strings/index.js';
import { TimeLeft } from './time-left.js';

const meOf = ({ me }: State) => me.id;

/**
 * One conversation of the list. It looks at its own part of the state, so what happens in others does not draw it
 * again. Not by `memo`: what Preact leaves undrawn keeps the page as it was drawn before, and with that the
 * conversations that were left.
 */
export function InboxItem({ id, isShown }: { readonly id: string; readonly isShown: boolean }) {
  const me = useDeskState(meOf);
  const summary = useDeskState(useCallback(({ conversations }: State) => conversations.get(id), [id]));
  const holder = useDeskState(useCallback((state: State) => holderOf(state, id), [id]));
  if (!summary) return null;
  const unread = summary.state === 'closed' ? 0 : unreadOf(summary, me);
  const who = summary.agent === me ? t('mine') : holder;

  return (
    <li>
      <a
        href={addressOf(id)}
        class={`item ${unread > 0 ? 'unread' : ''}`}
        data-conversation={id}
        aria-current={isShown ? 'true' : undefined}
      >
        <span class="who" dir="auto">
          {whoIs(summary.user)}
        </span>
        <span class="when">{moment(summary.last?.at ?? summary.requestedAt)}</span>
        <span class="last" dir="auto">
          {summary.last?.text ?? ''}
        </span>
        <span class="marks">
          {unread > 0 && (
            <span class="badge" title={t('unread', { count: unread })}>
              <span aria-hidden="true">{unread}</span>
              <span class="hidden">{t('unread', { count: unread })}</span>
            </span>
          )}
          {who && <span class="agent">{who}</span>}
          {summary.state !== 'closed' && summary.firstReplyAt === null && summary.replyBy !== null && (
            <TimeLeft until={summary.replyBy} />
          )}
        </span>
      </a>
    </li>
  );
}

/** What the agent is called who has a conversation. */
function holderOf({ agents, conversations }: State, id: string): string | null {
  const agent = conversations.get(id)?.agent ?? null;
  return agents.find((each) => each.id === agent)?.name ?? agent;
}
