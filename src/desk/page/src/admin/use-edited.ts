import { useEffect, useRef, useState } from 'preact/hooks';
import { askBeforeLeaving } from '../route.js';
import { a } from '../strings/admin.js';

/** Returns a function that says whether a form has edits that the desk does not have. While it has, leaving asks. */
export function useLeaveGuard(): (isEdited: boolean) => void {
  const release = useRef<(() => void) | null>(null);
  const guard = (isEdited: boolean): void => {
    if (isEdited) release.current ??= askBeforeLeaving(() => a('leaveUnsaved'));
    else {
      release.current?.();
      release.current = null;
    }
  };
  useEffect(() => () => guard(false), []);
  return guard;
}

/**
 * Settings that are edited on the page and saved together, with a function for an edit and one for what the desk has.
 * Leaving asks while there are edits that it does not have.
 */
export function useEdited<Value>(): readonly [
  value: Value | null,
  edit: (value: Value) => void,
  load: (value: Value) => void,
] {
  const [value, setValue] = useState<Value | null>(null);
  const guard = useLeaveGuard();
  const set = (isEdit: boolean) => (next: Value) => {
    setValue(next);
    guard(isEdit);
  };
  return [value, set(true), set(false)];
}
