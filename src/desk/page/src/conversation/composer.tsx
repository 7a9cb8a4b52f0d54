import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConversationSummary, ConversationUpdate } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { customerName } from '../shared/elements.js';
import type { State } from '../state.js';
import { isPreferred } from '../store.js';
import { t } from '../strings/index.js';
import { AnswerSuggestions } from './answer-suggestions.js';
import { AssistMenu, useAssist } from './assist.js';
import { CannedPicker } from './canned-picker.js';
import {
  accept,
  EMPTY,
  edit,
  fail,
  interrupt,
  prepend,
  send as sendDraft,
  undo as undoDraft,
} from './draft.js';
import { changeDraft, type DraftKey, useDraft } from './drafts.js';
import { Suggestions, useCannedSuggestions, useMentionSuggestions } from './suggestions.js';

const meOf = ({ me }: State) => me;
const agentsOf = ({ agents }: State) => agents;

interface ComposerProps {
  readonly summary: ConversationSummary;
  readonly entries: readonly ConversationUpdate[];
}

/** Writes replies to the customer, or notes for agents. `draft.ts` has the states of a text. */
export function Composer({ summary, entries }: ComposerProps) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const me = useDeskState(meOf);
  const agents = useDeskState(agentsOf);
  const isOpen = summary.state !== 'closed';
  const holder = isOpen && summary.agent !== me.id ? summary.agent : null;
  const heldBy =
    holder === null ? null : t('heldBy', { agent: agents.find(({ id }) => id === holder)?.name ?? holder });
  const canReply = isOpen && holder === null;
  const replyKey: DraftKey = { agent: me.id, conversation: summary.id, mode: 'reply' };
  const noteKey: DraftKey = { ...replyKey, mode: 'note' };
  const unsentReply = useDraft(replyKey).text;
  const unsentNote = useDraft(noteKey).text;
  const assist = useAssist(summary.id);
  const [mode, setMode] = useState<'reply' | 'note'>('reply');
  // A reply in progress stays a reply when it can no longer be sent: it must not silently become a note.
  const isTooLate = !canReply && mode === 'reply' && unsentReply !== '';
  const activeMode = canReply || isTooLate ? mode : 'note';
  const key = activeMode === 'reply' ? replyKey : noteKey;
  const draft = useDraft(key);
  const { text } = draft;
  const sentId = 'id' in draft ? draft.id : null;
  const [isSending, setSending] = useState(false);
  const undo = useUndo();
  const field = useRef<HTMLTextAreaElement>(null);

  const setText = (next: string): void => changeDraft(key, (now) => edit(now, next));

  useEffect(() => {
    changeDraft(replyKey, interrupt);
    changeDraft(noteKey, interrupt);
  }, [summary.id]);

  // The desk may accept a text although its answer is lost. Then it arrives as a live update.
  useEffect(() => {
    if (isSending) return;
    for (const { event } of entries) {
      if ((event.type !== 'message' && event.type !== 'note') || event.messageId !== sentId) continue;
      changeDraft(key, (now) => accept(now, event.messageId, event.text));
    }
  }, [entries, sentId, isSending]);

  const send = async (): Promise<void> => {
    if (text.trim() === '' || isSending || isTooLate || assist.isWriting) return;
    if (draft.state === 'sending') {
      // Another tab was sending, and may be gone.
      changeDraft(key, interrupt);
      return;
    }
    const next = sendDraft(draft, crypto.randomUUID());
    if (next.state !== 'sending') return;
    const { id } = next;
    changeDraft(key, () => next);
    setSending(true);
    field.current?.focus();
    if (activeMode === 'reply' && isPreferred('undo-send') && !(await undo.wait())) {
      changeDraft(key, (now) => undoDraft(now, id));
      setSending(false);
      return;
    }
    const isAccepted = await attempt(() => client.act(summary.id, activeMode, { messageId: id, text }));
    changeDraft(key, (now) => (isAccepted ? accept(now, id, text) : fail(now, id)));
    setSending(false);
  };

  const fill = (canned: string): string =>
    canned
      .replaceAll('{user}', () => customerName(summary.user))
      .replaceAll('{agent}', () => me.name)
      .replaceAll('{conversation}', () => summary.conversationId);
  const canned = useCannedSuggestions(activeMode === 'reply' ? text : '', setText, fill);
  const mentions = useMentionSuggestions(activeMode === 'note' ? text : '', setText);
  const suggestions = activeMode === 'note' ? mentions : canned;
  const insert = (reply: string): void => {
    const filled = fill(reply);
    setText(text === '' ? filled : `${text} ${filled}`);
    field.current?.focus();
  };

  const switchTo = (next: 'reply' | 'note'): void => {
    setMode(next);
    field.current?.focus();
  };

  const write = (to: 'reply' | 'note', next: string): void => {
    setMode(to);
    changeDraft(to === 'reply' ? replyKey : noteKey, (now) => edit(now, next));
  };

  const keepAsNote = (): void => {
    changeDraft(noteKey, (now) => prepend(now, unsentReply));
    changeDraft(replyKey, () => EMPTY);
    switchTo('note');
  };

  return (
    <form
      class={`composer ${activeMode}`}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {activeMode === 'reply' && text === '' && !undo.isWaiting && (
        <AnswerSuggestions entries={entries} bot={summary.bot} insert={insert} />
      )}
      <Suggestions {...suggestions} />
      <div class="field">
        {isTooLate && (
          <div class="held" role="alert">
            <strong>{heldBy ?? t('replyTooLate')}</strong>
            <button type="button" onClick={keepAsNote}>
              {t('keepAsNote')}
            </button>
            <button type="button" onClick={() => changeDraft(replyKey, () => EMPTY)}>
              {t('discard')}
            </button>
          </div>
        )}
        {!isTooLate && heldBy !== null && (
          <p class="held" dir="auto">
            {heldBy}
          </p>
        )}
        <textarea
          ref={field}
          rows={2}
          dir="auto"
          // The next piece of an answer would replace what the agent types.
          readOnly={isTooLate || assist.isWriting}
          aria-label={t(activeMode === 'note' ? 'notePlaceholder' : 'replyTo')}
          placeholder={t(activeMode === 'note' ? 'notePlaceholder' : 'replyTo')}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          aria-autocomplete="list"
          aria-controls={suggestions.activeId && 'suggestions'}
          aria-activedescendant={suggestions.activeId}
          onKeyDown={(event) => {
            // While an input method is open, Enter chooses a character.
            if (event.isComposing) return;
            if (suggestions.onKey(event)) {
              event.preventDefault();
              event.stopPropagation();
              return;
            }
            if (event.key !== 'Enter' || event.shiftKey) return;
            if (!event.ctrlKey && !event.metaKey && !isPreferred('enter-sends')) return;
            event.preventDefault();
            void send();
          }}
        />
        <div class="modes">
          {canReply && (
            <button
              type="button"
              data-key="reply"
              aria-pressed={activeMode === 'reply'}
              onClick={() => switchTo('reply')}
            >
              {t('reply')}
            </button>
          )}
          {!isTooLate && (
            <button
              type="button"
              data-key="note"
              aria-pressed={activeMode === 'note'}
              onClick={() => switchTo('note')}
            >
              {t('note')}
            </button>
          )}
          {activeMode === 'reply' && !isTooLate && <CannedPicker insert={insert} />}
          {!isTooLate && (
            <AssistMenu
              assist={assist}
              reply={canReply ? unsentReply : null}
              note={unsentNote}
              write={write}
            />
          )}
          {undo.isWaiting ? (
            // A separate element: a press must not carry over to the button below.
            <button type="button" key="undo" class="send" onClick={undo.cancel}>
              {t('undoSend')}
            </button>
          ) : (
            <button
              type="submit"
              key="send"
              class="primary send"
              disabled={isSending || isTooLate || assist.isWriting || text.trim() === ''}
            >
              {t(activeMode === 'note' ? 'addNote' : 'send')}
            </button>
          )}
        </div>
      </div>
    </form>
  );
}

/** How long a reply can be undone. */
const UNDO_MS = 5_000;

/** Waits before a reply is sent, so that it can be undone. Leaving the conversation sends it; leaving the page asks. */
function useUndo() {
  const [isWaiting, setWaiting] = useState(false);
  const finish = useRef<(isSent: boolean) => void>(() => undefined);
  useEffect(() => () => finish.current(true), []);
  useEffect(() => {
    if (!isWaiting) return;
    const ask = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isWaiting]);
  /** Resolves to whether to send. */
  const wait = (): Promise<boolean> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => finish.current(true), UNDO_MS);
      setWaiting(true);
      finish.current = (isSent) => {
        clearTimeout(timer);
        finish.current = () => undefined;
        setWaiting(false);
        resolve(isSent);
      };
    });
  return { isWaiting, wait, cancel: () => finish.current(false) };
}
