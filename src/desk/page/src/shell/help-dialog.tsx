import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.js';
import { isPreferred, type Preference, setPreferred } from '../store.js';
import { t } from '../strings/index.js';
import { areShortcutsOn, SHORTCUTS, setShortcutsOn } from './keyboard.js';

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
      <Switch name="enter-sends" label={t('enterSends')} />
      <Switch name="undo-send" label={t('undoSendOn')} />
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

/** A choice of the agent in this browser. */
function Switch({ name, label }: { readonly name: Preference; readonly label: string }) {
  const [isChosen, setChosen] = useState(() => isPreferred(name));
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={({ currentTarget }) => {
          setPreferred(name, currentTarget.checked);
          setChosen(currentTarget.checked);
        }}
      />
      {label}
    </label>
  );
}
