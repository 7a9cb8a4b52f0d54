import { SHORTCUTS } from '../keyboard.js';
import { t } from '../strings/index.js';
import { Dialog } from './dialog.js';

/** Lists the keyboard shortcuts. */
export function HelpDialog({ close }: { readonly close: () => void }) {
  return (
    <Dialog title={t('shortcuts')} close={close}>
      <dl class="shortcuts">
        {SHORTCUTS.map(([key, name]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{t(name)}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="buttons">
        <button type="submit">{t('dismiss')}</button>
      </form>
    </Dialog>
  );
}
