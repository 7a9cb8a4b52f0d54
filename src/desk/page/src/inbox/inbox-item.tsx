import { useCallback } from 'preact/hooks';
import { useDesk, useDeskState } from '../desk-context.js';
import { hrefOf } from '../route.js';
import { Avatar, customerName, priorityText, Time, TimeLeft } from '../shared/elements.js';
import { isListed, isOfferedTo, type State, unreadMentionsOf, unreadOf, withToggled } from '../state.js';
import { t } from '../strings/index.js';

const meOf = ({ me }: State) => me.id;
const hasSeveralBots = ({ bots }: State) => bots.length > 1;

/**
 * One conversation in the inbox. It subscribes to its own part of the state, so that updates of other conversations
 * do not render it again. It does not use `memo`, with which Preact kept references to removed nodes: a memory leak.
 */
export function InboxItem({ id, isShown }: { readonly id: string; readonly isShown: boolean }) {
  const me = useDeskState(meOf);
  const summary = useDeskState(useCallback(({ conversations }: State) => conversations.get(id), [id]));
  const holder = useDeskState(useCallback((state: State) => holderOf(state, id), [id]));
  const team = useDeskState(useCallback((state: State) => teamNameOf(state, id), [id]));
  const isSeveral = useDeskState(hasSeveralBots);
  const snippet = useDeskState(useCallback(({ found }: State) => found?.snippets[id], [id]));
  const { store } = useDesk();
  const isSelected = useDeskState(useCallback(({ selected }: State) => selected?.has(id), [id]));
  const isHidden = useDeskState(
    useCallback(
      (state: State) => summary !== undefined && !state.found && !isListed(state, summary),
      [summary],
    ),
  );
  if (!summary || isHidden) return null;
  const unread = summary.state === 'closed' ? 0 : unreadOf(summary, me);
  const isNew = isOfferedTo(summary, me);
  const isMentioned = unreadMentionsOf(summary, me) > 0;
  const name = customerName(summary.user);
  const agentName = summary.agent === me ? t('mine') : holder;

  return (
    <li class={isSelected === undefined ? '' : 'selectable'}>
      {isSelected !== undefined && (
        <label class="select">
          <input
            type="checkbox"
            checked={isSelected}
            aria-label={t('selectOne', { who: name })}
            onChange={() => store.update((state) => withToggled(state, id))}
          />
        </label>
      )}
      <a
        href={hrefOf(id)}
        class={`item ${unread > 0 || isNew || isMentioned ? 'unread' : ''}`}
        data-conversation={id}
        aria-current={isShown ? 'true' : undefined}
      >
        <Avatar name={name} />
        <span class="who" dir="auto" title={summary.user.userId ?? summary.user.anonymousId ?? name}>
          {name}
        </span>
        <Time class="when" at={summary.last?.at ?? summary.requestedAt} />
        <span class="last" dir="auto">
          {snippet || (summary.last?.text ?? '')}
        </span>
        <span class="marks">
          {unread > 0 && (
            <span class="badge" title={t('unread', { count: unread })}>
              <span aria-hidden="true">{unread}</span>
              <span class="hidden">{t('unread', { count: unread })}</span>
            </span>
          )}
          {isMentioned && (
            <span class="badge" title={t('mentionsYou')}>
              <span aria-hidden="true">@</span>
              <span class="hidden">{t('mentionsYou')}</span>
            </span>
          )}
          {isNew && <span class="new">{t('isNew')}</span>}
          {summary.priority !== 'normal' && (
            <span class={`priority ${summary.priority}`}>{priorityText(summary.priority)}</span>
          )}
          {isSeveral && <span class="bot">{summary.bot}</span>}
          {summary.tags.map((tag) => (
            <span key={tag} class="tag" dir="auto">
              {tag}
            </span>
          ))}
          {team && (
            <span class="team" dir="auto">
              {team}
            </span>
          )}
          {agentName && (
            <span class="agent" dir="auto">
              {agentName}
            </span>
          )}
          {summary.state !== 'closed' && summary.firstReplyAt === null && summary.replyBy !== null && (
            <TimeLeft until={summary.replyBy} />
          )}
        </span>
      </a>
    </li>
  );
}

/** The name of the team that a conversation is for. */
function teamNameOf({ teams, conversations }: State, id: string): string | null {
  const team = conversations.get(id)?.team ?? null;
  return teams.find((each) => each.id === team)?.name ?? null;
}

/** The name of the agent that a conversation is assigned to. */
function holderOf({ agents, conversations }: State, id: string): string | null {
  const agent = conversations.get(id)?.agent ?? null;
  return agents.find((each) => each.id === agent)?.name ?? agent;
}
