import { t } from '../strings/index.js';
import { Dialog } from './dialog.js';

/** Asks before something that cannot be undone. */
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
