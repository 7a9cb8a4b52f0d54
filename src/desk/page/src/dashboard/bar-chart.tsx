import { formatTime, t } from '../strings/index.js';

/** One bar; its parts are stacked from the bottom up. */
export interface Bar {
  readonly at: number;
  readonly parts: readonly {
    readonly name: string;
    readonly value: number;
    readonly kind: 'good' | 'bad' | 'open';
  }[];
}

const WIDTH = 480;
const HEIGHT = 120;
const GAP = 3;

/** A bar chart over time, with the same numbers as a table. */
export function BarChart({
  title,
  bars,
  format,
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}) {
  const max = Math.max(1, ...bars.map(totalOf));
  const names = bars[0]?.parts ?? [];
  const step = WIDTH / Math.max(1, bars.length);
  return (
    <figure class="chart">
      <figcaption>
        {title} {names.length > 1 && <Legend names={names} />}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`} aria-hidden="true">
        {bars.map((bar, index) => (
          <g key={bar.at} transform={`translate(${index * step} 0)`}>
            <title>{`${formatTime(bar.at)}: ${textOf(bar, format)}`}</title>
            <rect class="ground" width={step} height={HEIGHT} />
            {stacked(bar).map(({ kind, value, below }) => (
              <rect
                key={kind}
                class={kind}
                x={GAP / 2}
                width={step - GAP}
                y={HEIGHT - ((below + value) / max) * HEIGHT}
                height={(value / max) * HEIGHT}
              />
            ))}
            {index % 6 === 0 && (
              <text x={0} y={HEIGHT + 13}>
                {new Date(bar.at).getHours()}:00
              </text>
            )}
          </g>
        ))}
        <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <text class="most" x={2} y={11}>
          {format(max)}
        </text>
      </svg>
      <details>
        <summary>{t('asTable')}</summary>
        <table>
          <caption class="hidden">{title}</caption>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.at}>
                <th scope="row">{formatTime(bar.at)}</th>
                <td>{textOf(bar, format)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function Legend({ names }: { readonly names: Bar['parts'] }) {
  return (
    <span class="legend" aria-hidden="true">
      {names.map(({ name, kind }) => (
        <span key={kind} class={kind}>
          {name}
        </span>
      ))}
    </span>
  );
}

const totalOf = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0);

const textOf = ({ parts }: Bar, format: (value: number) => string): string =>
  parts
    .filter(({ value }) => value > 0)
    .map(({ name, value }) => `${name} ${format(value)}`)
    .join(', ') || '–';

function stacked({ parts }: Bar) {
  let below = 0;
  return parts.map(({ kind, value }) => {
    const part = { kind, value, below };
    below += value;
    return part;
  });
}
