import type { TranscriptLine } from '../../../api.js';
import { t } from '../strings/index.js';
import { RichText } from './rich-text.js';

const NAME = { user: 'customer', bot: 'ai', other: 'other' } as const;

/** The messages between customer and AI before the handoff, always shown as text. */
export function Transcript({ lines }: { readonly lines: readonly TranscriptLine[] }) {
  const messages = lines.filter(({ text }) => text.trim() !== '');
  return (
    <section class="transcript">
      <h3>{t('transcript')}</h3>
      {messages.length === 0 && <p class="hint">{t('transcriptEmpty')}</p>}
      <ol>
        {messages.map(({ from, text }, index) => (
          <li key={index} class={`line from-${from}`}>
            <span class="speaker">{t(NAME[from])}</span>
            <RichText text={text} />
          </li>
        ))}
      </ol>
    </section>
  );
}
