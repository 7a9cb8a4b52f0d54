import { useEffect } from 'preact/hooks';
import type { HoursRules, HoursView, Weekday } from '../../../api.js';
import { useAttempt, useDesk } from '../desk-context.js';
import { AddIcon, CloseIcon } from '../shared/elements.js';
import { a } from '../strings/admin.js';
import { chosenLanguage, t } from '../strings/index.js';
import { RadioGroup, SettingsForm } from './settings-form.js';
import { useEdited } from './use-edited.js';

const WEEK: readonly Weekday[] = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The name of a weekday in the language of the page. */
function nameOf(day: Weekday, weekday: 'long' | 'short' = 'long'): string {
  // The first of June 2026 was a Monday.
  const date = new Date(Date.UTC(2026, 5, 1 + WEEK.indexOf(day)));
  return date.toLocaleDateString(chosenLanguage(), { weekday, timeZone: 'UTC' });
}

const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function AdminHours() {
  const { client, notify } = useDesk();
  const attempt = useAttempt();
  const [hours, edit, load] = useEdited<HoursView>();
  const path = 'api/admin/hours';
  const show = (view: HoursView): void => load({ ...view, timeZone: view.timeZone || browserTimeZone() });
  useEffect(() => void attempt(async () => show(await client.call('GET', path))), []);
  if (!hours) return <p class="hint">…</p>;

  const { configured, isOpenNow, ...saved } = hours;
  const change = (part: Partial<HoursRules>): void => edit({ ...hours, ...part });
  const save = async (): Promise<void> => {
    const put = async () => show(await client.call('PUT', path, { ...saved, ...withoutGaps(saved) }));
    if (await attempt(put)) notify(t('saved'));
  };

  const modes = [
    ['always', a('hoursAlways')],
    ['weekly', a('hoursWeekly')],
    ...(configured ? [['configured', a('hoursConfigured', { hours: textOf(configured) })] as const] : []),
  ] as const;
  return (
    <section>
      <h3>{a('hours')}</h3>
      <p class="hint">{a('hoursHint')}</p>
      <p>{a(isOpenNow ? 'openNow' : 'closedNow')}</p>
      <SettingsForm save={save}>
        <RadioGroup
          legend={a('hoursMode')}
          options={modes}
          value={hours.mode}
          change={(mode) => change({ mode })}
        />
        {hours.mode === 'weekly' && <WeeklyHours hours={hours} change={change} />}
      </SettingsForm>
    </section>
  );
}

/** The days and ranges that are filled in. The fields of weekly hours must be, but others may be left behind. */
function withoutGaps({ open, closedOn }: HoursRules): Pick<HoursRules, 'open' | 'closedOn'> {
  const filled = WEEK.map((day) => [day, (open[day] ?? []).filter((range) => /.-./.test(range))] as const);
  return {
    open: Object.fromEntries(filled.filter(([, ranges]) => ranges.length > 0)),
    closedOn: [...new Set(closedOn)].filter((date) => date !== '').sort(),
  };
}

/** Hours in one line, such as `Europe/Berlin, Mon 09:00-17:00`. */
function textOf(configured: NonNullable<HoursView['configured']>): string {
  if (configured === 'function') return a('hoursFunction');
  const days = WEEK.flatMap((day) => {
    const ranges = configured.open[day] ?? [];
    return ranges.length > 0 ? [`${nameOf(day, 'short')} ${ranges.join(' ')}`] : [];
  });
  return [configured.timeZone, ...days].join(', ');
}

interface PartProps {
  readonly hours: HoursRules;
  readonly change: (part: Partial<HoursRules>) => void;
}

function WeeklyHours({ hours, change }: PartProps) {
  const { timeZone, open, message } = hours;
  const zones = new Set([timeZone, 'UTC', ...Intl.supportedValuesOf('timeZone')]);
  return (
    <>
      <label>
        {a('timeZone')}
        <select value={timeZone} onChange={({ currentTarget }) => change({ timeZone: currentTarget.value })}>
          {[...zones].sort().map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend>{a('week')}</legend>
        {WEEK.map((day) => (
          <DayHours
            key={day}
            day={nameOf(day)}
            ranges={open[day] ?? []}
            change={(ranges) => change({ open: { ...open, [day]: ranges } })}
          />
        ))}
      </fieldset>
      <Holidays hours={hours} change={change} />
      <label>
        {a('outsideMessage')}
        <textarea
          dir="auto"
          rows={3}
          value={message}
          onInput={({ currentTarget }) => change({ message: currentTarget.value })}
        />
      </label>
      <p class="hint">{a('outsideMessageHint')}</p>
    </>
  );
}

/** A field for a time has no 24:00: midnight at the end of a day is 00:00 there. */
const toRange = (from: string, to: string): string => `${from}-${to === '00:00' ? '24:00' : to}`;

function fromRange(range: string): readonly [string, string] {
  const [from = '', to = ''] = range.split('-');
  return [from, to === '24:00' ? '00:00' : to];
}

/** The hours of a weekday. */
function DayHours({
  day,
  ranges,
  change,
}: {
  readonly day: string;
  readonly ranges: readonly string[];
  readonly change: (ranges: readonly string[]) => void;
}) {
  return (
    <div class="day">
      <span>{day}</span>
      <div class="ranges">
        {ranges.length === 0 && <p class="hint">{a('closedDay')}</p>}
        {ranges.map((range, index) => {
          const [from, to] = fromRange(range);
          const replace = (next: string) => change(ranges.with(index, next));
          return (
            <div key={index} class="range">
              <input
                type="time"
                required
                aria-label={a('opens', { day })}
                value={from}
                onChange={({ currentTarget }) => replace(toRange(currentTarget.value, to))}
              />
              –
              <input
                type="time"
                required
                aria-label={a('closes', { day })}
                value={to}
                onChange={({ currentTarget }) => replace(toRange(from, currentTarget.value))}
              />
              <RemoveButton
                label={a('removeRangeOn', { day })}
                remove={() => change(ranges.toSpliced(index, 1))}
              />
              {to < from && to !== '00:00' && <span class="hint">{a('nextDay')}</span>}
            </div>
          );
        })}
      </div>
      <button
        type="button"
        aria-label={a('addRangeOn', { day })}
        title={a('addRangeOn', { day })}
        onClick={() => change([...ranges, '09:00-17:00'])}
      >
        <AddIcon />
      </button>
    </div>
  );
}

function RemoveButton({ label, remove }: { readonly label: string; readonly remove: () => void }) {
  return (
    <button type="button" aria-label={label} title={label} onClick={remove}>
      <CloseIcon />
    </button>
  );
}

function Holidays({ hours: { closedOn }, change }: PartProps) {
  return (
    <fieldset>
      <legend>{a('holidays')}</legend>
      {closedOn.map((date, index) => (
        <div key={index} class="range">
          <input
            type="date"
            required
            aria-label={a('holiday', { number: index + 1 })}
            value={date}
            onChange={({ currentTarget }) => change({ closedOn: closedOn.with(index, currentTarget.value) })}
          />
          <RemoveButton
            label={a('removeHoliday', { date })}
            remove={() => change({ closedOn: closedOn.toSpliced(index, 1) })}
          />
        </div>
      ))}
      <div class="buttons">
        <button type="button" onClick={() => change({ closedOn: [...closedOn, ''] })}>
          {a('addHoliday')}
        </button>
      </div>
    </fieldset>
  );
}
