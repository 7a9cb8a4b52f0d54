import { useEffect, useState } from 'preact/hooks';
import { useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { duration, t } from '../strings/index.js';

const aheadOf = ({ clockAhead }: State) => clockAhead;

/** Less time than this is shown as urgent. */
const URGENT_MS = 20_000;

/** The time left to answer before the platform ends the handoff, by the server's clock. */
export function TimeLeft({ until }: { readonly until: number }) {
  const ahead = useDeskState(aheadOf);
  const left = () => until - (Date.now() + ahead);
  const [ms, setMs] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => setMs(left()), 1_000);
    return () => clearInterval(timer);
  }, [until, ahead]);
  if (ms <= 0) return <span class="time-left over">{t('timeUp')}</span>;
  return (
    <span class={`time-left ${ms < URGENT_MS ? 'urgent' : ''}`}>{t('timeLeft', { time: duration(ms) })}</span>
  );
}
