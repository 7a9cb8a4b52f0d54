import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../strings/index.js';

/** A modal dialog. The browser keeps the focus inside, and Escape closes it. */
export function Dialog({
  title,
  close,
  children,
}: {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    // Closed before it is removed, so that the browser restores the focus.
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={ref} aria-label={title} onClose={close}>
      <h2>{title}</h2>
      {children}
    </dialog>
  );
}

/** Asks for confirmation of something that cannot be undone. */
export function ConfirmDialog({
  question,
  yes,
  onYes,
  close,
}: {
  readonly question: string;
  readonly yes: string;
  readonly onYes: () => void;
  readonly close: () => void;
}) {
  return (
    <Dialog title={question} close={close}>
      <form method="dialog" class="buttons">
        <button type="submit">{t('cancel')}</button>
        <button type="submit" class="primary" onClick={onYes}>
          {yes}
        </button>
      </form>
    </Dialog>
  );
}

/** Asks for a name, such as that of a tag. */
export function NameDialog({
  title,
  label,
  maxLength,
  save,
  close,
}: {
  readonly title: string;
  readonly label: string;
  readonly maxLength: number;
  readonly save: (name: string) => void;
  readonly close: () => void;
}) {
  const [text, setText] = useState('');
  const name = text.trim();
  return (
    <Dialog title={title} close={close}>
      <form
        method="dialog"
        onSubmit={() => {
          if (name !== '') save(name);
        }}
      >
        <label>
          {label}
          <input
            dir="auto"
            maxLength={maxLength}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <div class="buttons">
          <button type="button" onClick={close}>
            {t('cancel')}
          </button>
          <button type="submit" class="primary" disabled={name === ''}>
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
