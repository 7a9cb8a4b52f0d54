import type { ComponentChildren } from 'preact';
import { t } from '../strings/index.js';

/** A form of the settings with a button that saves it. */
export function SettingsForm({
  save,
  children,
}: {
  readonly save: () => Promise<void>;
  readonly children: ComponentChildren;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {children}
      <div class="buttons">
        <button type="submit" class="primary">
          {t('save')}
        </button>
      </div>
    </form>
  );
}

/** Radio buttons, of which one is chosen. Each option is a value and its label. */
export function RadioGroup<Value extends string>({
  legend,
  options,
  value,
  change,
}: {
  readonly legend: string;
  readonly options: readonly (readonly [Value, string])[];
  readonly value: Value;
  readonly change: (value: Value) => void;
}) {
  return (
    <fieldset>
      <legend>{legend}</legend>
      {options.map(([each, label]) => (
        <label key={each} class="switch">
          <input type="radio" name={legend} checked={each === value} onChange={() => change(each)} />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
