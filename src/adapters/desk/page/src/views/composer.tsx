import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConversationSummary, ConversationUpdate } from '../../../api.js';
import { customerName } from '../announce.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { useDraft } from '../drafts.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';
import { CannedPicker } from './canned-picker.js';

const meOf = ({ me }: State) => me;

interface ComposerProps {
  readonly summary: ConversationSummary;
  readonly entries: readonly ConversationUpdate[];
}

/** Writes replies to the customer, or notes for agents. */
export function Composer({ summary, entries }: ComposerProps) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const isOpen = summary.state !== 'closed';
  const [mode, setMode] = useState<'reply' | 'note'>('reply');
  const activeMode = isOpen ? mode : 'note';
  const [text, setText] = useDraft({ agent: me.id, conversation: summary.id, mode: activeMode });
  const [isSending, setSending] = useState(false);
  /** The message id of a text; kept when sending is repeated, so that a lost answer does not send it twice. */
  const pending = useRef<{ text: string; id: string } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  const clear = (): void => {
    pending.current = null;
    setText('');
    field.current?.focus();
  };

  // The desk may accept a reply although its answer is lost. Then the reply arrives as a live update.
  useEffect(() => {
    const id = pending.current?.id;
    const isAccepted = entries.some(({ event }) => 'messageId' in event && event.messageId === id);
    if (id !== undefined && isAccepted && !isSending) clear();
  }, [entries, isSending]);

  const send = async (): Promise<void> => {
    if (text.trim() === '' || isSending) return;
    setSending(true);
    if (pending.current?.text !== text) pending.current = { text, id: crypto.randomUUID() };
    const { id } = pending.current;
    const isAccepted = await attempt(() =>
      activeMode === 'note'
        ? client.act(summary.id, 'note', { text })
        : client.act(summary.id, 'reply', { messageId: id, text }),
    );
    setSending(false);
    if (isAccepted) clear();
  };

  const insert = (canned: string): void => {
    const filled = canned
      .replaceAll('{user}', () => customerName(summary.user))
      .replaceAll('{agent}', () => me.name)
      .replaceAll('{conversation}', () => summary.conversationId);
    setText(text === '' ? filled : `${text} ${filled}`);
    field.current?.focus();
  };

  const switchTo = (next: 'reply' | 'note'): void => {
    setMode(next);
    field.current?.focus();
  };

  return (
    <form
      class={`composer ${activeMode}`}
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
            aria-pressed={activeMode === 'reply'}
            onClick={() => switchTo('reply')}
          >
            {t('reply')}
          </button>
        )}
        <button
          type="button"
          data-key="note"
          aria-pressed={activeMode === 'note'}
          onClick={() => switchTo('note')}
        >
          {t('note')}
        </button>
        {activeMode === 'note' ? <small>{t('noteHint')}</small> : <CannedPicker insert={insert} />}
      </div>
      <textarea
        ref={field}
        rows={3}
        dir="auto"
        aria-label={t(activeMode === 'note' ? 'notePlaceholder' : 'replyTo')}
        placeholder={t(activeMode === 'note' ? 'notePlaceholder' : 'replyTo')}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
        }}
      />
      <button type="submit" class="primary" disabled={isSending || text.trim() === ''}>
        {t(activeMode === 'note' ? 'addNote' : 'send')}
      </button>
    </form>
  );
}
