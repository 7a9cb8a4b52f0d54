import { useCallback } from 'preact/hooks';
import { useDesk, useDeskState } from '../desk-context.js';
import { hrefOf } from '../route.js';
import { Avatar, customerName, priorityText, ReplyClock, ShortTime } from '../shared/elements.js';
import { Icon } from '../shared/icon.js';
import { isListed, isOfferedTo, type State, unreadMentionsOf, unreadOf, withToggled } from '../state.js';
import { t } from '../strings/index.js';

const meOf = ({ me }: State) => me.id;
const hasSeveralBots = ({ bots }: State) => bots.length > 1;

/**
 * One conversation in the inbox. It subscribes to its own part of the state, so that updates of other conversations
 * do not render it again. It does not use `memo`, with which Preact kept references to removed nodes: a memory leak.
 */
export function InboxItem({
  id,
  isShown,
  hidesMe = false,
}: {
  readonly id: string;
  readonly isShown: boolean;
  /** Whether the heading above says that the conversation is the agent's own. */
  readonly hidesMe?: boolean;
}) {
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
  const isMine = summary.agent === me;
  const agentName = isMine ? !hidesMe && t('mine') : holder;

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
        <ShortTime at={summary.last?.at ?? summary.requestedAt} />
        {unread > 0 && <span class="hidden">{t('unread', { count: unread })}</span>}
        <span class="last" dir="auto">
          {snippet || (summary.last?.text ?? '')}
        </span>
        {summary.state !== 'closed' && summary.firstReplyAt === null && summary.replyBy !== null && (
          <ReplyClock from={summary.requestedAt} until={summary.replyBy} />
        )}
        <span class="marks">
          {isNew && <span class="new">{t('isNew')}</span>}
          {isMentioned && (
            <span class="new" title={t('mentionsYou')}>
              <Icon name="at-sign" />
              <span class="hidden">{t('mentionsYou')}</span>
            </span>
          )}
          {summary.priority !== 'normal' && (
            <span class={`priority ${summary.priority}`}>
              <Icon name="flag" />
              {priorityText(summary.priority)}
            </span>
          )}
          {agentName && (
            <span class="agent" dir="auto">
              {agentName}
            </span>
          )}
          {team && (
            <span class="team" dir="auto">
              {team}
            </span>
          )}
          {isSeveral && <span class="bot">{summary.bot}</span>}
          {summary.tags.map((tag) => (
            <span key={tag} class="tag" dir="auto">
              {tag}
            </span>
          ))}
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
