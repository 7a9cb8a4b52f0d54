import { useEffect, useState } from 'preact/hooks';
import type { DashboardView } from '../../../api.js';
import { useAttempt, useDesk, useDeskState, useMay } from '../desk-context.js';
import type { State } from '../state.js';
import { duration, t } from '../strings/index.js';
import { BarChart } from './bar-chart.js';
import { DeadLetters } from './dead-letters.js';
import { Report } from './report.js';

/** How often the numbers are refreshed. */
const REFRESH_MS = 10_000;

/** Ends of the axes of the charts. */
const COUNTS = [2, 4, 10, 20, 40, 100, 200, 400, 1_000, 2_000, 4_000, 10_000];
const DURATIONS = [10, 20, 60, 120, 240, 600, 1_200, 3_600, 7_200, 14_400, 36_000, 86_400].map(
  (seconds) => seconds * 1_000,
);

const agentsOf = ({ agents }: State) => agents;

/** The dashboard: numbers, charts and dead letters. */
export function Dashboard() {
  const { client } = useDesk();
  const attempt = useAttempt();
  const agents = useDeskState(agentsOf);
  const maySettle = useMay('deadLetters');
  const mayReport = useMay('readReport');
  const [view, setView] = useState<DashboardView | null>(null);
  const refresh = () => attempt(async () => setView(await client.dashboard()));
  useEffect(() => {
    void refresh();
    const timer = setInterval(() => void refresh(), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);

  if (!view) return <p class="hint">…</p>;
  const tiles = [
    [t('waitingNow'), view.waiting],
    [t('activeNow'), view.active],
    [t('handledToday'), view.handledToday],
    [t('missedToday'), view.missedToday],
    [t('firstReply'), durationOf(view.firstReply.p50)],
    [t('firstReply90'), durationOf(view.firstReply.p90)],
  ] as const;

  return (
    <div class="dashboard">
      <h2>{t('dashboard')}</h2>
      <dl class="tiles card">
        {tiles.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="charts">
        <BarChart
          title={t('perHour')}
          bars={view.hours.map(({ at, handled, missed, requested }) => ({
            at,
            parts: [
              { name: t('handled'), value: handled, kind: 'good' },
              { name: t('missed'), value: missed, kind: 'bad' },
              { name: t('stillOpen'), value: requested - handled - missed, kind: 'open' },
            ],
          }))}
          tops={COUNTS}
          format={(count) => String(Math.round(count))}
        />
        <BarChart
          title={t('firstReplyPerHour')}
          bars={view.hours.map(({ at, firstReplyMs }) => ({
            at,
            parts: [{ name: t('firstReply'), value: firstReplyMs ?? 0, kind: 'good' }],
          }))}
          tops={DURATIONS}
          format={duration}
        />
      </div>
      {view.agents.length > 0 && (
        <section class="card">
          <h3>{t('byAgent')}</h3>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('agent')}</th>
                <th scope="col">{t('active')}</th>
                <th scope="col">{t('handledToday')}</th>
              </tr>
            </thead>
            <tbody>
              {view.agents.map(({ agent, active, handledToday }) => (
                <tr key={agent}>
                  <th scope="row">{agents.find(({ id }) => id === agent)?.name ?? agent}</th>
                  <td>{active}</td>
                  <td>{handledToday}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {mayReport && <Report timeZone={view.timeZone} />}
      {maySettle && <DeadLetters dead={view.dead} onChange={() => void refresh()} />}
    </div>
  );
}

const durationOf = (ms: number | null): string => (ms === null ? '–' : duration(ms));
