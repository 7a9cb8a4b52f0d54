import { type ComponentChildren, render } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Desk } from '../desk-context.js';
import { t } from '../strings/index.js';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. The browser keeps the focus inside, and Escape closes it. It is at the end of the body, not where it is
 * opened: styles, forms and listeners of that place do not reach it. It is rendered in the layout effect, in the same turn
 * as what opened it: any later, and a field would be set back to its former text while somebody types.
 */
export function Dialog(props: DialogProps) {
  const desk = useContext(Desk);
  const [place] = useState(() => document.createElement('div'));
  useLayoutEffect(() => {
    document.body.append(place);
    return () => {
      render(null, place);
      place.remove();
    };
  }, []);
  useLayoutEffect(() =>
    render(
      <Desk.Provider value={desk}>
        <ModalDialog {...props} />
      </Desk.Provider>,
      place,
    ),
  );
  return null;
}

function ModalDialog({ title, close, children }: DialogProps) {
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
