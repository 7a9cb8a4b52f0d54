import { useEffect, useState } from 'preact/hooks';
import type { ActionInputs, ActionName, ClosedBy, ConversationSummary } from '../../../api.js';
import { useAttempt, useDesk, useDeskState, useMay } from '../desk-context.js';
import { snoozeTimes, TagDialog } from '../inbox/sorting-tools.js';
import { navigateTo } from '../route.js';
import { ConfirmDialog, Dialog } from '../shared/dialog.js';
import {
  Avatar,
  BackIcon,
  byAvailability,
  customerName,
  PRIORITIES,
  priorityText,
  TimeLeft,
} from '../shared/elements.js';
import { Icon, type IconName } from '../shared/icon.js';
import { Menu, type MenuItem } from '../shared/menu.js';
import type { State } from '../state.js';
import { formatTime, type TextName, t } from '../strings/index.js';
import { OtherAgents } from './presence.js';

const meOf = ({ me }: State) => me;
const agentsOf = ({ agents }: State) => agents;
const availabilityOf = ({ availability }: State) => availability;
const teamsOf = ({ teams }: State) => teams;
const hasSeveralBots = ({ bots }: State) => bots.length > 1;

const hasFocusInActions = (): boolean =>
  document.activeElement?.closest('.conversation-header .actions') != null;

/** The focus of a button that has disappeared goes to the text field, where the agent continues. */
function focusField(): void {
  if (document.activeElement !== document.body && !hasFocusInActions()) return;
  document.querySelector<HTMLElement>('.composer textarea')?.focus();
}

/** The customer and the state of a conversation, its next action, and the others in a menu. */
export function ConversationHeader({ summary }: { readonly summary: ConversationSummary }) {
  const me = useDeskState(meOf);
  const agents = useDeskState(agentsOf);
  const isSeveral = useDeskState(hasSeveralBots);
  const teams = useDeskState(teamsOf);
  const { id, state, agent } = summary;
  const customer = customerName(summary.user);
  const nameOf = (agentId: string | null): string | null =>
    agentId === me.id ? t('mine') : (agents.find((each) => each.id === agentId)?.name ?? agentId);
  const holder = summary.ended ? endedText(summary.ended, nameOf) : nameOf(agent);
  const team = teams.find((each) => each.id === summary.team);

  return (
    <header class="conversation-header">
      <nav class="back" aria-label={t('back')}>
        <button type="button" class="icon-only" aria-label={t('back')} onClick={() => navigateTo(null)}>
          <BackIcon />
        </button>
      </nav>
      <Avatar name={customer} />
      <div class="title">
        <h2 dir="auto" title={summary.user.userId ?? summary.user.anonymousId ?? customer}>
          {customer}
        </h2>
        <p class="facts">
          {state !== 'closed' && summary.firstReplyAt === null && summary.replyBy !== null && (
            <TimeLeft until={summary.replyBy} />
          )}
          <span class={`state ${state}`}>{t(state)}</span>
          <OtherAgents id={id} />
          {summary.priority !== 'normal' && (
            <span class={`priority ${summary.priority}`}>{priorityText(summary.priority)}</span>
          )}
          {holder !== null && <span dir="auto">{holder}</span>}
          {team && <span dir="auto">{t('teamIs', { team: team.name })}</span>}
          {isSeveral && <span class="bot">{summary.bot}</span>}
          {summary.tags.map((tag) => (
            <span key={tag} class="tag" dir="auto">
              {tag}
            </span>
          ))}
        </p>
      </div>
      <Actions summary={summary} />
    </header>
  );
}

/** The next action as a button, and the others in a menu. */
function Actions({ summary }: { readonly summary: ConversationSummary }) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const mayTakeOver = useMay('takeOver');
  const receivers = useReceivers(summary);
  const [dialog, setDialog] = useState<'close' | 'transfer' | 'tags' | null>(null);
  const shut = (): void => setDialog(null);
  const { id, agent, snoozedUntil, firstReplyAt, replyBy } = summary;
  const isOpen = summary.state !== 'closed';
  const isMine = isOpen && agent === me.id;
  const act = async <Name extends ActionName>(name: Name, input: ActionInputs[Name]): Promise<void> => {
    const hadFocus = hasFocusInActions();
    if ((await attempt(() => client.act(id, name, input))) && hadFocus) focusField();
  };
  const mayTransfer = isOpen && (agent === null || isMine || mayTakeOver) && receivers.length > 0;
  const isSnoozed = snoozedUntil !== null && snoozedUntil > Date.now();
  // The platform ends a conversation without a reply, so it cannot be snoozed.
  const isAnswered = firstReplyAt !== null || replyBy === null;
  const items: readonly Action[] = [
    ...(mayTransfer ? [action('forward', t('transfer'), () => setDialog('transfer'))] : []),
    ...(isMine ? [action('undo-2', t('release'), () => act('release', {}))] : []),
    action('tag', t('tagsEdit'), () => setDialog('tags')),
    ...(isMine && isSnoozed
      ? [
          action('alarm-clock', t('snoozeEnd', { time: formatTime(snoozedUntil) }), () =>
            act('snooze', { until: null }),
          ),
        ]
      : []),
    ...(isMine && !isSnoozed && isAnswered
      ? snoozeTimes(new Date()).map(([label, until]) => ({
          key: label,
          label,
          group: t('snooze'),
          run: () => act('snooze', { until }),
        }))
      : []),
    ...PRIORITIES.map((priority) => ({
      key: priority,
      label: priorityText(priority),
      group: t('priority'),
      isOn: priority === summary.priority,
      run: () => act('priority', { priority }),
    })),
  ];
  useEffect(() => {
    shownActions = items;
    return () => {
      shownActions = [];
    };
  });

  return (
    <div class="actions">
      {isOpen && agent === null && (
        <button type="button" data-key="claim" class="primary" onClick={() => void act('claim', {})}>
          {t('claim')}
        </button>
      )}
      {isOpen && agent !== null && !isMine && mayTakeOver && (
        <button type="button" onClick={() => void act('transfer', { to: me.id })}>
          {t('takeOver')}
        </button>
      )}
      {isMine && (
        <button type="button" class="primary" onClick={() => setDialog('close')}>
          {t('close')}
        </button>
      )}
      <Menu
        label={t('moreActions')}
        items={items}
        choose={(key) => void items.find((item) => item.key === key)?.run()}
      >
        <Icon name="ellipsis" />
      </Menu>
      {dialog === 'tags' && <TagDialog summary={summary} act={act} close={shut} />}
      {dialog === 'transfer' && (
        <TransferDialog
          receivers={receivers}
          give={({ kind, id: to }) =>
            void (kind === 'agent' ? act('transfer', { to }) : act('pass', { team: to }))
          }
          close={shut}
        />
      )}
      {dialog === 'close' && (
        <ConfirmDialog
          question={t('closeSure')}
          yes={t('close')}
          onYes={() => void act('close', {})}
          close={shut}
        />
      )}
    </div>
  );
}

interface Action extends MenuItem {
  readonly run: () => unknown;
}

let shownActions: readonly Action[] = [];

/** The actions in the menu of the open conversation, which the palette finds too. */
export const actionsInMenu = (): readonly Action[] => shownActions;

const action = (icon: IconName, label: string, run: () => unknown): Action => ({
  key: icon,
  icon,
  label,
  run,
});

/** An agent or team that the conversation can be transferred to. */
interface Receiver {
  readonly kind: 'agent' | 'team';
  readonly id: string;
  readonly label: string;
}

function useReceivers({ agent, team }: ConversationSummary): readonly Receiver[] {
  const me = useDeskState(meOf);
  const agents = useDeskState(agentsOf);
  const teams = useDeskState(teamsOf);
  const availability = useDeskState(availabilityOf);
  return [
    ...byAvailability(agents, availability)
      .filter(({ id }) => id !== agent && id !== me.id)
      .map(({ id, label }) => ({ kind: 'agent' as const, id, label })),
    ...teams
      .filter(({ id }) => id !== team || agent !== null)
      .map(({ id, name }) => ({ kind: 'team' as const, id, label: t('teamIs', { team: name }) })),
  ];
}

function TransferDialog({
  receivers,
  give,
  close,
}: {
  readonly receivers: readonly Receiver[];
  readonly give: (receiver: Receiver) => void;
  readonly close: () => void;
}) {
  const keyOf = ({ kind, id }: Receiver): string => `${kind} ${id}`;
  // The order changes with who is available: what is chosen stays.
  const [key, setKey] = useState(() => receivers.map(keyOf)[0]);
  const chosen = receivers.find((each) => keyOf(each) === key);
  return (
    <Dialog title={t('transferTitle')} close={close}>
      <form method="dialog" onSubmit={() => chosen && give(chosen)}>
        <label>
          {t('transferTo')}
          <select
            value={chosen && keyOf(chosen)}
            onChange={({ currentTarget }) => setKey(currentTarget.value)}
          >
            {receivers.map((each) => (
              <option key={keyOf(each)} value={keyOf(each)}>
                {each.label}
              </option>
            ))}
          </select>
        </label>
        <div class="buttons">
          <button type="button" onClick={close}>
            {t('cancel')}
          </button>
          <button type="submit" class="primary">
            {t('transferYes')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const CLOSED_BY = {
  user: 'eventClosedUser',
  timeout: 'eventClosedTimeout',
  agent: 'eventClosedAgent',
  system: 'eventClosedSystem',
} as const satisfies Record<ClosedBy, TextName>;

/** Says who ended a conversation. */
export function endedText(
  { by, agent }: { readonly by: ClosedBy; readonly agent: string | null },
  nameOf: (id: string | null) => string | null,
): string {
  return t(CLOSED_BY[by], { agent: nameOf(agent) ?? '' });
}
