import { useState } from 'preact/hooks';
import type { ActionInputs, ActionName, ClosedBy, ConversationSummary } from '../../../api.js';
import { useAttempt, useDesk, useDeskState, useMay } from '../desk-context.js';
import { SortingTools } from '../inbox/sorting-tools.js';
import { navigateTo } from '../route.js';
import { ConfirmDialog } from '../shared/dialog.js';
import { Avatar, BackIcon, byAvailability, customerName, TimeLeft } from '../shared/elements.js';
import { Menu } from '../shared/menu.js';
import type { State } from '../state.js';
import { type TextName, t } from '../strings/index.js';
import { OtherAgents } from './presence.js';

const meOf = ({ me }: State) => me;
const agentsOf = ({ agents }: State) => agents;
const availabilityOf = ({ availability }: State) => availability;
const teamsOf = ({ teams }: State) => teams;
const hasSeveralBots = ({ bots }: State) => bots.length > 1;

/** An agent or team that the conversation can be transferred to. */
interface Receiver {
  readonly key: string;
  readonly label: string;
  readonly give: () => Promise<void>;
}

const hasFocusInActions = (): boolean =>
  document.activeElement?.closest('.conversation-header .actions') != null;

/** The focus of a button that has disappeared goes to the text field, where the agent continues. */
function focusField(): void {
  if (document.activeElement !== document.body && !hasFocusInActions()) return;
  document.querySelector<HTMLElement>('.composer textarea')?.focus();
}

/** The customer, the agent and the actions of a conversation. */
export function ConversationHeader({ summary }: { readonly summary: ConversationSummary }) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const agents = useDeskState(agentsOf);
  const availability = useDeskState(availabilityOf);
  const mayTakeOver = useMay('takeOver');
  const isSeveral = useDeskState(hasSeveralBots);
  const [isClosing, setClosing] = useState(false);
  const teams = useDeskState(teamsOf);
  const [receiver, setReceiver] = useState<Receiver | null>(null);
  const { id, state, agent } = summary;
  const customer = customerName(summary.user);
  const act = async <Name extends ActionName>(name: Name, input: ActionInputs[Name]): Promise<void> => {
    const hadFocus = hasFocusInActions();
    if ((await attempt(() => client.act(id, name, input))) && hadFocus) focusField();
  };
  const nameOf = (agentId: string | null): string | null =>
    agentId === me.id ? t('mine') : (agents.find((each) => each.id === agentId)?.name ?? agentId);
  const receivers: readonly Receiver[] = [
    ...byAvailability(agents, availability)
      .filter(({ id: to }) => to !== agent && to !== me.id)
      .map(({ id: to, label }) => ({ key: `agent ${to}`, label, give: () => act('transfer', { to }) })),
    ...teams
      .filter((each) => each.id !== summary.team || agent !== null)
      .map(({ id: team, name }) => ({
        key: `team ${team}`,
        label: t('teamIs', { team: name }),
        give: () => act('pass', { team }),
      })),
  ];
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
          <span class={`state ${state}`}>{t(state)}</span>
          {isSeveral && <span class="bot">{summary.bot}</span>}
          <span dir="auto">
            {summary.ended ? endedText(summary.ended, nameOf) : (nameOf(agent) ?? t('unassigned'))}
          </span>
          {team && <span dir="auto">{t('teamIs', { team: team.name })}</span>}
          {state !== 'closed' && summary.firstReplyAt === null && summary.replyBy !== null && (
            <TimeLeft until={summary.replyBy} />
          )}
          <OtherAgents id={id} />
        </p>
      </div>
      <SortingTools summary={summary} act={act} />
      {state !== 'closed' && (
        <div class="actions">
          {agent === null && (
            <button type="button" data-key="claim" class="primary" onClick={() => void act('claim', {})}>
              {t('claim')}
            </button>
          )}
          {agent !== null && agent !== me.id && mayTakeOver && (
            <button type="button" onClick={() => void act('transfer', { to: me.id })}>
              {t('takeOver')}
            </button>
          )}
          {agent === me.id && (
            <button type="button" onClick={() => void act('release', {})}>
              {t('release')}
            </button>
          )}
          {(agent === null || agent === me.id || mayTakeOver) && (
            <Menu
              label={t('transfer')}
              items={receivers.map(({ key, label }) => ({ key, label }))}
              choose={(key) => setReceiver(receivers.find((each) => each.key === key) ?? null)}
            />
          )}
          {agent === me.id && (
            <button type="button" onClick={() => setClosing(true)}>
              {t('close')}
            </button>
          )}
        </div>
      )}
      {receiver && (
        <ConfirmDialog
          question={t('transferSure', { agent: receiver.label })}
          yes={t('transferYes')}
          onYes={() => void receiver.give()}
          close={() => setReceiver(null)}
        />
      )}
      {isClosing && (
        <ConfirmDialog
          question={t('closeSure')}
          yes={t('close')}
          onYes={() => void act('close', {})}
          close={() => setClosing(false)}
        />
      )}
    </header>
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
