import { useEffect, useState } from 'preact/hooks';
import type { Notices } from '../notices.js';
import { type Store, useStore } from '../store.js';
import { t } from '../strings/index.js';
import { ToolButton } from './tool-button.js';

/** How long a notice is shown, unless the agent points at it. */
const NOTICE_MS = 6_000;

const lastNotice = ({ last }: Notices) => last;

/** The last notice. Screen readers announce it without moving the focus; a click opens what it is about. */
export function NoticeLine({ notices }: { readonly notices: Store<Notices> }) {
  const last = useStore(notices, lastNotice);
  const [hiddenId, setHiddenId] = useState(0);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (!last || isHeld) return;
    const timer = setTimeout(() => setHiddenId(last.id), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [last, isHeld]);
  const hide = (): void => {
    setHiddenId(last?.id ?? 0);
    setHeld(false);
  };
  return (
    <div class="notice" role="status" aria-live="polite">
      {last && last.id !== hiddenId && (
        <p onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}>
          {last.href === null ? (
            <span class="text">{last.text}</span>
          ) : (
            <a href={last.href} onClick={hide}>
              <span class="text">{last.text}</span>
            </a>
          )}
          <ToolButton icon="x" label={t('hide')} onClick={hide} />
        </p>
      )}
    </div>
  );
}
