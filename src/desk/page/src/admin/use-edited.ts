import { useEffect, useState } from 'preact/hooks';
import { askBeforeLeaving } from '../route.js';
import { a } from '../strings/admin.js';

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
  const [isEdited, setIsEdited] = useState(false);
  useEffect(() => (isEdited ? askBeforeLeaving(() => a('leaveUnsaved')) : undefined), [isEdited]);
  const set = (isEdit: boolean) => (next: Value) => {
    setValue(next);
    setIsEdited(isEdit);
  };
  return [value, set(true), set(false)];
}
