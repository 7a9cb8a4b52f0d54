import { useState } from 'preact/hooks';
import type { ActionInputs, ActionName, ConversationSummary } from '../../../api.js';
import { customerName } from '../announce.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { navigateTo } from '../route.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';
import { ConfirmDialog } from './dialog.js';
import { BackIcon } from './icons.js';
import { TimeLeft } from './time-left.js';

const meOf = ({ me }: State) => me;
const agentsOf = ({ agents }: State) => agents;

/** The customer, the agent and the actions of a conversation. */
export function ConversationHeader({ summary }: { readonly summary: ConversationSummary }) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const agents = useDeskState(agentsOf);
  const [isClosing, setClosing] = useState(false);
  const { id, state, agent } = summary;
  const act = <Name extends ActionName>(name: Name, input: ActionInputs[Name]) =>
    void attempt(() => client.act(id, name, input));
  const holder = agent === me.id ? t('mine') : (agents.find((each) => each.id === agent)?.name ?? agent);
  const others = agents.filter((each) => each.id !== agent);

  return (
    <header class="conversation-header">
      <button type="button" class="back" aria-label={t('back')} onClick={() => navigateTo(null)}>
        <BackIcon />
      </button>
      <div class="title">
        <h2 dir="auto" title={customerName(summary.user)}>
          {customerName(summary.user)}
        </h2>
        <p>
          <span class={`state ${state}`}>{t(state)}</span> · {holder ?? t('unassigned')}{' '}
          {state !== 'closed' && summary.firstReplyAt === null && summary.replyBy !== null && (
            <TimeLeft until={summary.replyBy} />
          )}
        </p>
      </div>
      {state !== 'closed' && (
        <div class="actions">
          {agent === null && (
            <button type="button" data-key="claim" class="primary" onClick={() => act('claim', {})}>
              {t('claim')}
            </button>
          )}
          {agent !== null && agent !== me.id && (
            <button type="button" onClick={() => act('transfer', { to: me.id })}>
              {t('takeOver')}
            </button>
          )}
          {agent === me.id && (
            <button type="button" onClick={() => act('release', {})}>
              {t('release')}
            </button>
          )}
          <select
            aria-label={t('transfer')}
            value=""
            onChange={({ currentTarget }) => {
              const to = currentTarget.value;
              currentTarget.value = '';
              if (to !== '') act('transfer', { to });
            }}
          >
            <option value="">{t('transfer')}</option>
            {others.map((each) => (
              <option key={each.id} value={each.id}>
                {each.name}
              </option>
            ))}
          </select>
          <button type="button" onClick={() => setClosing(true)}>
            {t('close')}
          </button>
        </div>
      )}
      {isClosing && (
        <ConfirmDialog
          question={t('closeSure')}
          yes={t('close')}
          onYes={() => act('close', {})}
          close={() => setClosing(false)}
        />
      )}
    </header>
  );
}
