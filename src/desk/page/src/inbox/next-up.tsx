import { useCallback, useEffect, useState } from 'preact/hooks';
import { useDeskState } from '../desk-context.js';
import { navigateTo } from '../route.js';
import { customerName } from '../shared/elements.js';
import { Icon } from '../shared/icon.js';
import type { State } from '../state.js';
import { duration, t } from '../strings/index.js';
import { type NextUp as Next, nextUpOf } from './inbox-groups.js';

const TICK_MS = 5_000;

const isSame = (a: Next, b: Next): boolean =>
  a.waiting === b.waiting && a.longest?.id === b.longest?.id && a.next === b.next;

const aheadOf = ({ clockAhead }: State) => clockAhead;

/** What is next, while no conversation is open. */
export function NextUp() {
  const ahead = useDeskState(aheadOf);
  const [now, setNow] = useState(() => Date.now() + ahead);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() + ahead), TICK_MS);
    return () => clearInterval(timer);
  }, [ahead]);
  const { waiting, longest, next } = useDeskState(
    useCallback((state: State) => nextUpOf(state, now), [now]),
    isSame,
  );
  return (
    <div class="next-up">
      <Icon name={next === null ? 'circle-check' : 'inbox'} />
      <h2>{titleOf(waiting, next)}</h2>
      {longest && (
        <p dir="auto">
          {t('nextLongest', {
            who: customerName(longest.user),
            time: duration(Math.max(0, now - longest.requestedAt)),
          })}
        </p>
      )}
      {next === null ? (
        <p>{t('nextNoneHint')}</p>
      ) : (
        <button type="button" class="primary" onClick={() => navigateTo(next)}>
          {t('nextOpen')}
          <Icon name="arrow-right" />
        </button>
      )}
      {next !== null && <p class="hint">{t('pickOne')}</p>}
    </div>
  );
}

function titleOf(waiting: number, next: string | null): string {
  if (waiting > 1) return t('nextMany', { count: waiting });
  if (waiting === 1) return t('nextOne');
  return t(next === null ? 'nextNone' : 'nextOwn');
}
