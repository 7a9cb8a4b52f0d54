import { useState } from 'preact/hooks';
import type { ActionInputs, BulkAction, BulkFailure } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { ConfirmDialog, Dialog, NameDialog } from '../shared/dialog.js';
import { byAvailability, customerName } from '../shared/elements.js';
import { Icon } from '../shared/icon.js';
import { Menu } from '../shared/menu.js';
import { ToolButton } from '../shared/tool-button.js';
import { type State, withSelected } from '../state.js';
import { errorText, t } from '../strings/index.js';
import { snoozeTimes } from './sorting-tools.js';

const selectedOf = ({ selected }: State) => selected;
const agentsOf = ({ agents }: State) => agents;
const availabilityOf = ({ availability }: State) => availability;
const teamsOf = ({ teams }: State) => teams;
const hasConversations = ({ conversations }: State) => conversations.size > 0;

/** Conversations per request. */
const CHUNK = 100;

/** An action that awaits confirmation. */
interface Pending {
  readonly label: string;
  /** For at most {@link CHUNK} conversations. */
  readonly run: (ids: readonly string[]) => Promise<readonly BulkFailure[]>;
}

/** The conversations that the list shows, in its order. */
const shownIds = (): readonly string[] =>
  [...document.querySelectorAll<HTMLElement>('.inbox [data-conversation]')].flatMap(
    ({ dataset }) => dataset.conversation ?? [],
  );

/** Selects conversations, and applies one action to all of them after one confirmation. */
export function BulkBar() {
  const { store, client, notify } = useDesk();
  const attempt = useAttempt();
  const selected = useDeskState(selectedOf);
  const agents = useDeskState(agentsOf);
  const availability = useDeskState(availabilityOf);
  const teams = useDeskState(teamsOf);
  const isAnyListed = useDeskState(hasConversations);
  const [pending, setPending] = useState<Pending | null>(null);
  const [isTagging, setTagging] = useState(false);
  const [failures, setFailures] = useState<readonly BulkFailure[]>([]);
  const select = (ids: Iterable<string> | null): void => store.update((state) => withSelected(state, ids));
  const toggle = (isAnyListed || selected !== null) && (
    <ToolButton
      icon="list-checks"
      label={t('select')}
      isPressed={selected !== null}
      onClick={() => select(selected ? null : [])}
    />
  );
  if (!selected) return <>{toggle}</>;

  const ids = [...selected];
  const ask = <Name extends BulkAction>(label: string, action: Name, input: ActionInputs[Name]): void =>
    setPending({
      label,
      run: async (part) => (await client.actOnAll({ ids: part, action, input })).failed,
    });
  const run = (action: Pending): Promise<boolean> =>
    attempt(async () => {
      const failed: BulkFailure[] = [];
      let rest: readonly string[] = ids;
      try {
        while (rest.length > 0) {
          failed.push(...(await action.run(rest.slice(0, CHUNK))));
          rest = rest.slice(CHUNK);
        }
      } finally {
        // After a lost connection, those not yet acted on stay selected as well.
        select([...failed.map(({ id }) => id), ...rest]);
        setFailures(failed);
        const done = ids.length - rest.length - failed.length;
        if (done > 0) notify(t('bulkDone', { count: done }));
      }
    });
  const receivers = [
    ...byAvailability(agents, availability).map(({ id, label }) => ({ key: `agent ${id}`, label })),
    ...teams.map(({ id, name }) => ({ key: `team ${id}`, label: t('teamIs', { team: name }) })),
  ];
  const assign = (key: string): void => {
    const name = receivers.find((each) => each.key === key)?.label ?? '';
    const label = t('bulkAssignTo', { name });
    if (key.startsWith('team ')) ask(label, 'pass', { team: key.slice('team '.length) });
    else ask(label, 'transfer', { to: key.slice('agent '.length) });
  };
  const isNone = ids.length === 0;

  return (
    <>
      {toggle}
      <fieldset class="bulk">
        <legend class="hidden">{t('bulk')}</legend>
        <ToolButton icon="check-check" label={t('selectAll')} onClick={() => select(shownIds())} />
        <span aria-live="polite">{t('selectedCount', { count: ids.length })}</span>
        {!isNone && (
          <div class="bulk-actions">
            <ToolButton icon="hand" label={t('claim')} onClick={() => ask(t('claim'), 'claim', {})} />
            <Menu label={t('bulkAssign')} items={receivers} choose={assign}>
              <Icon name="user-plus" />
            </Menu>
            <ToolButton icon="tag" label={t('bulkTag')} onClick={() => setTagging(true)} />
            <Menu
              label={t('snooze')}
              items={snoozeTimes(new Date()).map(([label, until]) => ({ key: String(until), label }))}
              choose={(until) => ask(t('snooze'), 'snooze', { until: Number(until) })}
            >
              <Icon name="alarm-clock" />
            </Menu>
            <ToolButton icon="circle-check" label={t('close')} onClick={() => ask(t('close'), 'close', {})} />
          </div>
        )}
        <ToolButton icon="x" label={t('selectEnd')} onClick={() => select(null)} />
      </fieldset>
      {isTagging && (
        <NameDialog
          title={t('bulkTag')}
          label={t('tagNew')}
          maxLength={40}
          close={() => setTagging(false)}
          save={(tag) => ask(t('bulkTagWith', { tag }), 'tag', { add: [tag], remove: [] })}
        />
      )}
      {pending && (
        <ConfirmDialog
          question={t('bulkSure', { action: pending.label, count: ids.length })}
          yes={t('bulkYes')}
          onYes={() => void run(pending)}
          close={() => setPending(null)}
        />
      )}
      {failures.length > 0 && <FailuresDialog failures={failures} close={() => setFailures([])} />}
    </>
  );
}

/** Lists the conversations on which an action failed, with the reasons. */
function FailuresDialog({
  failures,
  close,
}: {
  readonly failures: readonly BulkFailure[];
  readonly close: () => void;
}) {
  const { conversations } = useDesk().store.get();
  const nameOf = (id: string): string => {
    const summary = conversations.get(id);
    return summary ? customerName(summary.user) : id;
  };
  return (
    <Dialog title={t('bulkFailed', { count: failures.length })} close={close}>
      <ul class="failures">
        {failures.map(({ id, code, message }) => (
          <li key={id}>
            <strong dir="auto">{nameOf(id)}</strong> {errorText(code) ?? message}
          </li>
        ))}
      </ul>
      <form method="dialog" class="buttons">
        <button type="submit">{t('dismiss')}</button>
      </form>
    </Dialog>
  );
}
