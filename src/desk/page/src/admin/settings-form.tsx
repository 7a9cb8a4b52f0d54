import type { ComponentChildren } from 'preact';
import { t } from '../strings/index.js';
import { useLeaveGuard } from './use-edited.js';

interface FormProps {
  /** The text of the button that saves; `null` while there is nothing to save. */
  readonly label?: string | null;
  /** Further buttons. */
  readonly others?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A form of the settings. */
export function SettingsForm({
  save,
  onInput,
  label = t('save'),
  others,
  children,
}: FormProps & {
  readonly save: (form: HTMLFormElement) => Promise<void>;
  readonly onInput?: () => void;
}) {
  return (
    <form
      onInput={onInput}
      onSubmit={(event) => {
        event.preventDefault();
        void save(event.currentTarget);
      }}
    >
      {children}
      <div class="buttons">
        {label !== null && (
          <button type="submit" class="primary">
            {label}
          </button>
        )}
        {others}
      </div>
    </form>
  );
}

/**
 * A form that sends its fields by their names, and is empty afterwards. Leaving asks while something is filled in.
 * `submit` resolves to whether it worked; then `done` is called.
 */
export function FieldsForm({
  submit,
  done,
  ...rest
}: FormProps & {
  readonly submit: (fields: Readonly<Record<string, string>>) => Promise<boolean>;
  readonly done?: () => void;
}) {
  const guard = useLeaveGuard();
  const save = async (form: HTMLFormElement): Promise<void> => {
    if (!(await submit(fieldsOf(form)))) return;
    form.reset();
    guard(false);
    done?.();
  };
  return <SettingsForm {...rest} save={save} onInput={() => guard(true)} />;
}

const fieldsOf = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  );

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
