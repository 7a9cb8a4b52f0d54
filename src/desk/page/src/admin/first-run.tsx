import { useEffect, useState } from 'preact/hooks';
import type { HoursView } from '../../../api.js';
import { useDesk, useDeskState, useMay } from '../desk-context.js';
import { Icon } from '../shared/icon.js';
import type { State } from '../state.js';
import { isPreferred, setPreferred } from '../store.js';
import { t } from '../strings/index.js';

const hasAgentsOf = ({ agents }: State) => agents.length > 1;
const isConnectedOf = ({ hasPlatform, platform }: State) => hasPlatform && !platform.isRefused;
/** A reply that reached the platform shows that both directions work. */
const hasRepliedOf = ({ conversations }: State) =>
  [...conversations.values()].some(({ firstReplyAt }) => firstReplyAt !== null);

/** Shows an administrator what is left to set up, until all is done or the list is hidden. */
export function FirstRun() {
  const mayManage = useMay('manageAgents');
  const [isHidden, setHidden] = useState(() => isPreferred('first-run-done'));
  const hide = (): void => {
    setPreferred('first-run-done', true);
    setHidden(true);
  };
  return mayManage && !isHidden ? <Checklist hide={hide} /> : null;
}

function Checklist({ hide }: { readonly hide: () => void }) {
  const hasAgents = useDeskState(hasAgentsOf);
  const isConnected = useDeskState(isConnectedOf);
  const hasReplied = useDeskState(hasRepliedOf);
  const hasHours = useHasHours();
  const isDone = hasAgents && isConnected && hasReplied && hasHours === true;
  // Later, conversations are deleted and agents leave: the desk stays set up.
  useEffect(() => {
    if (isDone) hide();
  }, [isDone]);
  if (hasHours === null || isDone) return null;
  return (
    <section class="first-run" aria-label={t('firstRun')}>
      <h2>{t('firstRun')}</h2>
      <ol>
        <Step isDone={hasAgents} name={t('firstRunAgents')} href="#/settings/agents" />
        <Step isDone={hasHours} name={t('firstRunHours')} href="#/settings/hours" />
        <Step isDone={isConnected} name={t('firstRunPlatform')} hint={t('firstRunPlatformHint')} />
        <Step isDone={hasReplied} name={t('firstRunHandoff')} hint={t('firstRunHandoffHint')} />
      </ol>
      <button type="button" class="quiet" onClick={hide}>
        {t('hide')}
      </button>
    </section>
  );
}

/** What is left to do leads to where it is done: in the desk, or elsewhere. */
function Step({
  isDone,
  name,
  href,
  hint,
}: {
  readonly isDone: boolean;
  readonly name: string;
  readonly href?: string;
  readonly hint?: string;
}) {
  return (
    <li class={isDone ? 'done' : ''}>
      <span class="mark">{isDone && <Icon name="check" />}</span>
      <span>
        {isDone || !href ? name : <a href={href}>{name}</a>}
        {isDone && <span class="hidden">: {t('firstRunDone')}</span>}
        {!isDone && hint && <small>{hint}</small>}
      </span>
    </li>
  );
}

/** Whether an administrator or the options have set the business hours; `null` while that is not known. */
function useHasHours(): boolean | null {
  const { client } = useDesk();
  const [hasHours, setHasHours] = useState<boolean | null>(null);
  useEffect(() => {
    client.call<HoursView>('GET', 'api/admin/hours').then(
      ({ version, configured }) => setHasHours(version > 0 || configured !== null),
      () => undefined,
    );
  }, []);
  return hasHours;
}
