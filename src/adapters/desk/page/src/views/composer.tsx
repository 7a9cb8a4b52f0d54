import { useEffect, useRef, useState } from 'preact/hooks';
import type { JournalEntry, Summary } from '../../../api.js';
import { whoIs } from '../announce.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';
import { useDraft } from '../use-draft.js';
import { CannedPicker } from './canned-picker.js';

const meOf = ({ me }: State) => me;

interface ComposerProps {
  readonly summary: Summary;
  readonly entries: readonly JournalEntry[];
}

/** Where an agent writes: to the customer, or a note for agents. */
export function Composer({ summary, entries }: ComposerProps) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const isOpen = summary.state !== 'closed';
  const [mode, setMode] = useState<'reply' | 'note'>('reply');
  const writing = isOpen ? mode : 'note';
  const [text, setText] = useDraft({ agent: me.id, conversation: summary.id, mode: writing });
  const [isSending, setSending] = useState(false);
  /** The same for each try to send one text, so that a lost answer does not make it two. */
  const trying = useRef<{ text: string; id: string } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  const done = (): void => {
    trying.current = null;
    setText('');
    field.current?.focus();
  };

  // The answer may be lost although the reply was taken: then it comes live.
  useEffect(() => {
    const id = trying.current?.id;
    const isTaken = entries.some(({ happening }) => 'messageId' in happening && happening.messageId === id);
    if (id !== undefined && isTaken && !isSending) done();
  }, [entries, isSending]);

  const send = async (): Promise<void> => {
    if (text.trim() === '' || isSending) return;
    setSending(true);
    if (trying.current?.text !== text) trying.current = { text, id: crypto.randomUUID() };
    const { id } = trying.current;
    const isTaken = await attempt(() =>
      writing === 'note'
        ? client.act(summary.id, 'note', { text })
        : client.act(summary.id, 'reply', { messageId: id, text }),
    );
    setSending(false);
    if (isTaken) done();
  };

  const insert = (canned: string): void => {
    const filled = canned
      .replaceAll('{user}', () => whoIs(summary.user))
      .replaceAll('{agent}', () => me.name)
      .replaceAll('{conversation}', () => summary.conversationId);
    setText(text === '' ? filled : `${text} ${filled}`);
    field.current?.focus();
  };

  const choose = (next: 'reply' | 'note'): void => {
    setMode(next);
    field.current?.focus();
  };

  return (
    <form
      class={`composer ${writing}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div class="modes">
        {isOpen && (
          <button
            type="button"
            data-key="reply"
            aria-pressed={writing === 'reply'}
            onClick={() => choose('reply')}
          >
            {t('reply')}
          </button>
        )}
        <button
          type="button"
          data-key="note"
          aria-pressed={writing === 'note'}
          onClick={() => choose('note')}
        >
          {t('note')}
        </button>
        {writing === 'note' ? <small>{t('noteHint')}</small> : <CannedPicker insert={insert} />}
      </div>
      <textarea
        ref={field}
        rows={3}
        dir="auto"
        aria-label={t(writing === 'note' ? 'notePlaceholder' : 'replyTo')}
        placeholder={t(writing === 'note' ? 'notePlaceholder' : 'replyTo')}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
        }}
      />
      <button type="submit" class="primary" disabled={isSending || text.trim() === ''}>
        {t(writing === 'note' ? 'addNote' : 'send')}
      </button>
    </form>
  );
}
