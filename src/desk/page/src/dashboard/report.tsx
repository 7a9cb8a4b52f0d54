import { useEffect, useState } from 'preact/hooks';
import type { ReportNumbers, ReportView } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { duration, t } from '../strings/index.js';

const agentsOf = ({ agents }: State) => agents;

/** Midnight of a day, in the agent's time zone, `days` later. */
function midnight(day: string, days = 0): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + days).getTime();
}

const dayOf = (date: Date): string =>
  `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`;

/** Days that the report shows at first. */
const DAYS = 7;

/** Numbers over a range of days, as tables and as CSV. */
export function Report() {
  const { client } = useDesk();
  const attempt = useAttempt();
  const agents = useDeskState(agentsOf);
  const [first, setFirst] = useState(() => dayOf(new Date(Date.now() - (DAYS - 1) * 86_400_000)));
  const [last, setLast] = useState(() => dayOf(new Date()));
  const [view, setView] = useState<ReportView | null>(null);
  const range = { from: midnight(first), to: midnight(last, 1) };
  const isRange = range.to > range.from;
  useEffect(() => {
    if (isRange) void attempt(async () => setView(await client.report(range)));
  }, [first, last]);
  const nameOf = (id: string): string => agents.find((agent) => agent.id === id)?.name ?? id;
  const dayFormat = new Intl.DateTimeFormat(document.documentElement.lang, {
    month: 'short',
    day: 'numeric',
  });

  return (
    <section class="report">
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
              ...view.days.map((day) => [dayFormat.format(day.at), day] as const),
              [t('total'), view] as const,
            ]}
          />
          {view.agents.length > 0 && (
            <Numbers
              title={t('agent')}
              rows={view.agents.map((each) => [nameOf(each.agent), each] as const)}
            />
          )}
          <p class="hint">{t('reportDead', { count: view.deadLetters })}</p>
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
