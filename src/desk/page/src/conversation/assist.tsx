import { useEffect, useRef, useState } from 'preact/hooks';
import type { AssistRequest } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import { Menu } from '../shared/menu.js';
import type { State } from '../state.js';
import { chosenLanguage, t } from '../strings/index.js';

/** Asks the assistant about a conversation, one thing at a time. Leaving the conversation ends it. */
export function useAssist(conversation: string) {
  const { client, notify } = useDesk();
  const attempt = useAttempt();
  const [isWriting, setWriting] = useState(false);
  const running = useRef<AbortController | null>(null);
  const stop = (): void => running.current?.abort();
  useEffect(() => stop, [conversation]);

  /** `show` gets the whole text so far. Resolves to whether the answer is complete. */
  const ask = async (request: AssistRequest, show: (text: string) => void): Promise<boolean> => {
    stop();
    const own = new AbortController();
    running.current = own;
    setWriting(true);
    let text = '';
    const onText = (piece: string): void => {
      text += piece;
      if (!own.signal.aborted) show(text);
    };
    const isDone = await attempt(async () => {
      try {
        const { isCut } = await client.assist(conversation, request, onText, own.signal);
        if (isCut) notify(t('assistCut'));
      } catch (error) {
        if (!own.signal.aborted) throw error;
      }
    });
    if (running.current === own) {
      running.current = null;
      setWriting(false);
    }
    return isDone && !own.signal.aborted;
  };

  return { isWriting, ask, stop };
}

const canAssistOf = ({ canAssist }: State) => canAssist;

interface AssistMenuProps {
  readonly assist: ReturnType<typeof useAssist>;
  /** The note so far: a summary is added to it. */
  readonly note: string;
  /** The reply so far; `null` if the agent cannot reply. */
  readonly reply: string | null;
  /** Puts a text into the field for replies or notes, where the agent edits and sends it. */
  readonly write: (mode: 'reply' | 'note', text: string) => void;
}

/** What the assistant can write, if the desk has one. */
export function AssistMenu({ assist, reply, note, write }: AssistMenuProps) {
  const canAssist = useDeskState(canAssistOf);
  const { isWriting, ask, stop } = assist;
  const [original, setOriginal] = useState<string | null>(null);
  if (!canAssist) return null;
  if (isWriting) {
    return (
      <button type="button" onClick={stop}>
        {t('assistStop')}
      </button>
    );
  }
  const isEmpty = reply?.trim() === '';
  const isTranslated = original !== null && !isEmpty && reply !== null;
  const actions: Readonly<Record<string, () => unknown>> = {
    draft: () => ask({ task: 'draft' }, (text) => write('reply', text)),
    async translate() {
      const text = reply ?? '';
      setOriginal(text);
      const isDone = await ask({ task: 'translation', language: 'customer', text }, (so) =>
        write('reply', so),
      );
      if (!isDone) write('reply', text);
    },
    undo() {
      write('reply', original ?? '');
      setOriginal(null);
    },
    summary: () =>
      ask({ task: 'summary', language: chosenLanguage() }, (text) =>
        write('note', note.trim() === '' ? text : `${note}\n\n${text}`),
      ),
  };
  const items = [
    ...(isEmpty ? [{ key: 'draft', label: t('assistDraft') }] : []),
    ...(reply !== null && !isEmpty ? [{ key: 'translate', label: t('assistTranslateReply') }] : []),
    ...(isTranslated ? [{ key: 'undo', label: t('assistOriginal') }] : []),
    { key: 'summary', label: t('assistSummary') },
  ];
  return (
    <>
      <Menu label={t('assist')} items={items} choose={(key) => void actions[key]?.()} />
      {isTranslated && (
        <small class="original" dir="auto">
          {t('assistOriginalIs', { text: original ?? '' })}
        </small>
      )}
    </>
  );
}

/** Shows a customer's message in the agent's language, below the original. */
export function Translation({
  conversation,
  text,
}: {
  readonly conversation: string;
  readonly text: string;
}) {
  const canAssist = useDeskState(canAssistOf);
  const { isWriting, ask } = useAssist(conversation);
  const [translation, setTranslation] = useState('');
  const translate = (): void => {
    void ask({ task: 'translation', language: chosenLanguage(), text }, setTranslation);
  };
  if (!canAssist) return null;
  if (translation === '') {
    return (
      <button type="button" class="quiet" disabled={isWriting} onClick={translate}>
        {t('assistTranslate')}
      </button>
    );
  }
  return (
    <p class="translation" dir="auto" aria-busy={isWriting}>
      {translation}
    </p>
  );
}
