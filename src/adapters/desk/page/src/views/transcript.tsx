import type { TranscriptLine } from '../../../api.js';
import { t } from '../strings/index.js';

const NAME = { user: 'customer', agent: 'ai', other: 'other' } as const;

/** What customer and AI said before the handoff. Always text: nothing in it is markup. */
export function Transcript({ lines }: { readonly lines: readonly TranscriptLine[] }) {
  const spoken = lines.filter(({ text }) => text.trim() !== '');
  return (
    <section class="transcript">
      <h3>{t('transcript')}</h3>
      {spoken.length === 0 && <p class="hint">{t('transcriptEmpty')}</p>}
      <ol>
        {spoken.map(({ from, text }, index) => (
          <li key={index} class={`line from-${from}`}>
            <span class="speaker">{t(NAME[from])}</span>
            <p dir="auto">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}
