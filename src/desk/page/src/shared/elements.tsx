import { useEffect, useState } from 'preact/hooks';
import type { AgentView, AvailabilityView, CustomerView, Priority } from '../../../api.js';
import { useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { duration, formatShortTime, formatTime, t } from '../strings/index.js';
import { Icon } from './icon.js';

/** An id that people cannot read: a UUID, or another long hexadecimal number. */
const MACHINE_ID = /([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|([0-9a-f]{8})[0-9a-f]{12,}/i;

/**
 * The name of a customer: the id that the application gave, or a short form of an id that a machine made. Many customers
 * may share a placeholder e-mail address, so it comes last.
 */
export function customerName({ userId, anonymousId, email, key }: Omit<CustomerView, 'phone'>): string {
  const id = userId ?? anonymousId;
  return id === null ? (email ?? readable(key)) : readable(id);
}

function readable(id: string): string {
  const [, uuid, hex] = MACHINE_ID.exec(id) ?? [];
  const digits = uuid ?? hex;
  return digits === undefined ? id : t('visitor', { id: digits.slice(0, 6) });
}

/** Agents with labels that say who is away or offline, available ones first. */
export function byAvailability(
  agents: readonly AgentView[],
  availability: readonly AvailabilityView[],
): readonly { readonly id: string; readonly label: string }[] {
  const rankOf = (id: string): number => {
    const here = availability.find(({ agent }) => agent === id);
    return here ? Number(here.isAway) : 2;
  };
  return agents
    .map(({ id, name }) => ({ id, name, rank: rankOf(id) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ id, name, rank }) => ({
      id,
      label: rank === 0 ? name : t(rank === 1 ? 'statusAway' : 'statusOffline', { agent: name }),
    }));
}

/** One or two initials. */
function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const first = Array.from(words[0] ?? '?')[0] ?? '?';
  const last = words.length > 1 ? (Array.from(words.at(-1) ?? '')[0] ?? '') : '';
  return `${first}${last}`.toUpperCase();
}

/** The number of avatar colours in the style sheet. */
const HUES = 6;

/** A colour for a name, always the same. */
function hueOf(name: string): number {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return sum % HUES;
}

/** A person's initials on a colour. Hidden from screen readers, since the name is beside it. */
export function Avatar({ name, size = '' }: { readonly name: string; readonly size?: 'small' | '' }) {
  return (
    <span class={`avatar hue-${hueOf(name)} ${size}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

/** A time that people and programs can read. */
export function Time({ at, class: className }: { readonly at: number; readonly class?: string }) {
  return (
    <time class={className} dateTime={new Date(at).toISOString()}>
      {formatTime(at)}
    </time>
  );
}

/** Today's time or the day, where there is little room. */
export function ShortTime({ at }: { readonly at: number }) {
  return (
    <time class="when" dateTime={new Date(at).toISOString()} title={formatTime(at)}>
      {formatShortTime(at)}
    </time>
  );
}

const aheadOf = ({ clockAhead }: State) => clockAhead;

/** The milliseconds left until a time, by the server's clock. */
function useTimeLeft(until: number): number {
  const ahead = useDeskState(aheadOf);
  const left = () => until - (Date.now() + ahead);
  const [ms, setMs] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => setMs(left()), 1_000);
    return () => clearInterval(timer);
  }, [until, ahead]);
  return ms;
}

const timeLeftText = (ms: number): string => (ms <= 0 ? t('timeUp') : t('timeLeft', { time: duration(ms) }));

/** Less time than this is shown as urgent. */
const URGENT_MS = 20_000;

/** The time left to answer before the platform ends the handoff, in words. */
export function TimeLeft({ until }: { readonly until: number }) {
  const ms = useTimeLeft(until);
  return <span class={`time-left ${ms < URGENT_MS ? 'urgent' : ''}`}>{timeLeftText(ms)}</span>;
}

/** Less than these parts of the time to answer is late, and very late. */
const LATE = 0.5;
const VERY_LATE = 0.2;

/** The same as a small clock, which runs out. Only when it is late does it show a number as well. */
export function ReplyClock({ from, until }: { readonly from: number; readonly until: number }) {
  const ms = useTimeLeft(until);
  const part = Math.min(1, Math.max(0, ms / Math.max(1, until - from)));
  const isLate = part < LATE;
  return (
    <span class={`clock ${part < VERY_LATE ? 'very-late' : isLate ? 'late' : ''}`} title={timeLeftText(ms)}>
      {ms > 0 ? (
        <svg class="dial" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="8" r="7" />
          <circle class="rest" cx="8" cy="8" r="3.5" pathLength="1" stroke-dasharray={`${part} 1`} />
        </svg>
      ) : (
        <Icon name="circle-alert" />
      )}
      {isLate && ms > 0 && <span aria-hidden="true">{duration(ms)}</span>}
      <span class="hidden">{timeLeftText(ms)}</span>
    </span>
  );
}

/** All priorities, the most urgent first. */
export const PRIORITIES: readonly Priority[] = ['urgent', 'high', 'normal', 'low'];

const PRIORITY_TEXTS = {
  urgent: 'priorityUrgent',
  high: 'priorityHigh',
  normal: 'priorityNormal',
  low: 'priorityLow',
} as const;

export const priorityText = (priority: Priority): string => t(PRIORITY_TEXTS[priority]);

export const CloseIcon = () => <Icon name="x" />;

export const AddIcon = () => <Icon name="plus" />;

export const BackIcon = () => <Icon name="chevron-left" />;
