import { memo } from 'preact/compat';
import type { Summary } from '../../../api.js';
import { whoIs } from '../announce.js';
import { useDeskState } from '../desk-context.js';
import { addressOf } from '../route.js';
import { type State, unreadOf } from '../state.js';
import { moment, t } from '../strings/index.js';
import { TimeLeft } from './time-left.js';

const agentsOf = ({ agents }: State) => agents;

/** One conversation of the list. Drawn again only when it has changed. */
export const InboxItem = memo(function InboxItem({
  summary,
  isShown,
  me,
}: {
  readonly summary: Summary;
  readonly isShown: boolean;
  readonly me: string;
}) {
  const agents = useDeskState(agentsOf);
  const unread = summary.state === 'closed' ? 0 : unreadOf(summary, me);
  const agent = agents.find(({ id }) => id === summary.agent);
  const who = summary.agent === me ? t('mine') : (agent?.name ?? summary.agent);

  return (
    <li>
      <a
        href={addressOf(summary.id)}
        class={`item ${unread > 0 ? 'unread' : ''}`}
        data-conversation={summary.id}
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
});
