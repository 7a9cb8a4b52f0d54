import { useEffect, useRef, useState } from 'preact/hooks';
import type { Summary } from '../../../api.js';
import { whoIs } from '../announce.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { draftOf, keepDraft } from '../drafts.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';
import { CannedPicker } from './canned-picker.js';

const meOf = ({ me }: State) => me;

/** Where an agent writes: to the customer, or a note for agents. */
export function Composer({ summary }: { readonly summary: Summary }) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const isOpen = summary.state !== 'closed';
  const [mode, setMode] = useState<'reply' | 'note'>('reply');
  const writing = isOpen ? mode : 'note';
  const [text, setText] = useState(() => draftOf(summary.id));
  const [isSending, setSending] = useState(false);
  /** The same for each try to send one text, so that a lost answer does not make it two. */
  const messageId = useRef<{ text: string; id: string } | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => keepDraft(summary.id, text), [summary.id, text]);

  const send = async (): Promise<void> => {
    if (text.trim() === '' || isSending) return;
    setSending(true);
    if (messageId.current?.text !== text) messageId.current = { text, id: crypto.randomUUID() };
    const { id } = messageId.current;
    const done = await attempt(() =>
      writing === 'note'
        ? client.act(summary.id, 'note', { text })
        : client.act(summary.id, 'reply', { messageId: id, text }),
    );
    setSending(false);
    if (!done) return;
    messageId.current = null;
    setText('');
    field.current?.focus();
  };

  const insert = (canned: string): void => {
    const filled = canned
      .replaceAll('{user}', () => whoIs(summary.user))
      .replaceAll('{agent}', () => me.name)
      .replaceAll('{conversation}', () => summary.conversationId);
    setText((now) => (now === '' ? filled : `${now} ${filled}`));
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
          <button type="button" aria-pressed={writing === 'reply'} onClick={() => setMode('reply')}>
            {t('reply')}
          </button>
        )}
        <button
          type="button"
          data-key="note"
          aria-pressed={writing === 'note'}
          onClick={() => {
            setMode('note');
            field.current?.focus();
          }}
        >
          {t('note')}
        </button>
        {writing === 'note' ? <small>{t('noteHint')}</small> : <CannedPicker insert={insert} />}
      </div>
      <textarea
        ref={field}
        data-key="reply"
        rows={3}
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
