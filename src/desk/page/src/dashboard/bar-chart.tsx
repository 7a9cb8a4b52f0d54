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

/** Units of the drawing, which is stretched. Its texts are outside of it, so that they keep their size. */
const BAR_WIDTH = 10;
const GAP = 2;
const HEIGHT = 100;
/** Hours between two labels. */
const LABELLED = 6;

/** A bar chart over time, with the same numbers as a table. */
export function BarChart({
  title,
  bars,
  tops,
  format,
}: {
  readonly title: string;
  readonly bars: readonly Bar[];
  /** Round numbers for the top of the axis, the smallest first; half of each is round too. */
  readonly tops: readonly number[];
  readonly format: (value: number) => string;
}) {
  const highest = Math.max(0, ...bars.map(totalOf));
  const top = tops.find((each) => each >= highest) ?? highest;
  const names = bars[0]?.parts ?? [];
  const width = bars.length * BAR_WIDTH;
  const heightOf = (value: number): number => (value / top) * HEIGHT;
  return (
    <figure class="chart card">
      <figcaption>
        {title} {names.length > 1 && <Legend names={names} />}
      </figcaption>
      <div class="plot" aria-hidden="true">
        <div class="axis-y">
          {[top, top / 2, 0].map((value) => (
            <span key={value}>{value === 0 ? '0' : format(value)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {[0, HEIGHT / 2, HEIGHT].map((y) => (
            <line key={y} x1={0} x2={width} y1={y} y2={y} />
          ))}
          {bars.map((bar, index) => (
            <g key={bar.at} transform={`translate(${index * BAR_WIDTH} 0)`}>
              <title>{`${formatTime(bar.at)}: ${textOf(bar, format)}`}</title>
              <rect class="ground" width={BAR_WIDTH} height={HEIGHT} />
              {stacked(bar).map(({ kind, value, below }) => (
                <rect
                  key={kind}
                  class={kind}
                  x={GAP / 2}
                  width={BAR_WIDTH - GAP}
                  y={HEIGHT - heightOf(below + value)}
                  height={heightOf(value)}
                />
              ))}
            </g>
          ))}
        </svg>
        <div class="axis-x">
          {bars
            .filter((_, index) => index % LABELLED === 0)
            .map(({ at }) => (
              <span key={at}>{`${new Date(at).getHours()}:00`}</span>
            ))}
        </div>
      </div>
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
