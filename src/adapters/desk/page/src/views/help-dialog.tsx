import { useState } from 'preact/hooks';
import { areShortcutsOn, SHORTCUTS, setShortcutsOn } from '../keyboard.js';
import { t } from '../strings/index.js';
import { Dialog } from './dialog.js';

/** Lists the keyboard shortcuts. */
export function HelpDialog({ close }: { readonly close: () => void }) {
  const [isOn, setOn] = useState(areShortcutsOn);
  return (
    <Dialog title={t('shortcuts')} close={close}>
      <label class="switch">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => {
            setShortcutsOn(currentTarget.checked);
            setOn(currentTarget.checked);
          }}
        />
        {t('shortcutsOn')}
      </label>
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
