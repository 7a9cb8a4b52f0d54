import { useEffect, useState } from 'preact/hooks';
import type { ReportNumbers, ReportView } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { duration, t } from '../strings/index.js';

const agentsOf = ({ agents }: State) => agents;

/** The day of today in a time zone, some days ago, such as `2026-03-02`. */
function dayIn(timeZone: string, daysAgo: number): string {
  // Sweden writes dates so.
  const today = new Date().toLocaleDateString('sv', { timeZone });
  return new Date(Date.parse(today) - daysAgo * 86_400_000).toISOString().slice(0, 10);
}

/** Days that the report shows at first. */
const DAYS = 7;

/** Numbers over a range of days in the desk's time zone, as tables and as CSV. */
export function Report({ timeZone }: { readonly timeZone: string }) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const agents = useDeskState(agentsOf);
  const [first, setFirst] = useState(() => dayIn(timeZone, DAYS - 1));
  const [last, setLast] = useState(() => dayIn(timeZone, 0));
  const [view, setView] = useState<ReportView | null>(null);
  const range = { from: first, to: last };
  const isRange = last >= first;
  useEffect(() => {
    if (isRange) void attempt(async () => setView(await client.report(range)));
  }, [first, last]);
  const nameOf = (id: string): string => agents.find((agent) => agent.id === id)?.name ?? id;
  const dayFormat = new Intl.DateTimeFormat(document.documentElement.lang, {
    month: 'short',
    day: 'numeric',
    timeZone: 'UTC',
  });

  return (
    <section class="report card">
      <h3>{t('report')}</h3>
      <div class="range">
        <label>
          {t('reportFrom')}
          <input
            type="date"
            value={first}
            onChange={({ currentTarget }) => setFirst(currentTarget.value || first)}
          />
        </label>
        <label>
          {t('reportTo')}
          <input
            type="date"
            value={last}
            onChange={({ currentTarget }) => setLast(currentTarget.value || last)}
          />
        </label>
        {isRange && (
          <a href={`api/report.csv?from=${range.from}&to=${range.to}`} download>
            {t('reportCsv')}
          </a>
        )}
      </div>
      {!isRange && <p class="hint">{t('reportNoRange')}</p>}
      {isRange && view && (
        <>
          <Numbers
            title={t('byDay')}
            rows={[
              ...view.days.map((day) => [dayFormat.format(Date.parse(day.day)), day] as const),
              [t('total'), view] as const,
            ]}
          />
          {view.agents.length > 0 && (
            <Numbers
              title={t('agent')}
              rows={view.agents.map((each) => [nameOf(each.agent), each] as const)}
            />
          )}
          <p class="hint">
            {t('reportDead', { count: view.deadLetters })} {t('reportZone', { zone: view.timeZone })}
          </p>
        </>
      )}
    </section>
  );
}

function Numbers({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly (readonly [string, ReportNumbers])[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section class="scrolls" tabIndex={0} aria-label={title}>
      <table>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            <th scope="col">{t('requested')}</th>
            <th scope="col">{t('handled')}</th>
            <th scope="col">{t('missed')}</th>
            <th scope="col">{t('firstReply')}</th>
            <th scope="col">{t('firstReply90')}</th>
            <th scope="col">{t('handlingTime')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, { requested, handled, missed, firstReply, handling }]) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{name}</bdi>
              </th>
              <td>{requested}</td>
              <td>{handled}</td>
              <td>{missed}</td>
              <td>{durationOf(firstReply.p50)}</td>
              <td>{durationOf(firstReply.p90)}</td>
              <td>{durationOf(handling.p50)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const durationOf = (ms: number | null): string => (ms === null ? '–' : duration(ms));
