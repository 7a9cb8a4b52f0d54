import { isRecord, toText } from './primitives.js';

/** A received value that normalising has dropped. */
export interface DroppedValue {
  /** Such as `body[].text`. */
  readonly path: string;
  /** Such as `string` or `object`. */
  readonly kind: string;
}

/** The received values that normalising has dropped, each path and kind once. */
export function droppedValues(sent: unknown, read: unknown): DroppedValue[] {
  const found = new Map<string, DroppedValue>();
  const add = (path: string, kind: string): unknown => found.set(`${path} ${kind}`, { path, kind });

  const compare = (before: unknown, after: unknown, path: string): void => {
    if (Object.is(before, after) || isNothing(before)) return;
    if (Array.isArray(before)) {
      // A list in place of an object was merged into one object.
      for (const [index, item] of before.entries()) {
        if (Array.isArray(after)) compare(item, after[index], `${path}[]`);
        else compare(item, after, path);
      }
    } else if (isRecord(before)) {
      const target = Array.isArray(after) ? after[0] : after;
      if (!isRecord(target)) add(path, 'object');
      else for (const [name, value] of Object.entries(before)) compare(value, target[name], join(path, name));
    } else if (!isHeldBy(before, after)) add(path, typeof before);
  };

  compare(sent, read, '');
  return [...found.values()];
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Some platforms send an empty list or text for an absent value of any type. */
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Whether a plain value was converted to another plain value, or wrapped into an object or list. */
function isHeldBy(value: unknown, after: unknown): boolean {
  if (typeof after !== 'object') return after !== undefined && after !== '';
  return after !== null && Object.values(after).some((part) => isPartOf(value, part));
}

const isPartOf = (value: unknown, part: unknown): boolean =>
  typeof part === 'object'
    ? part !== null && Object.values(part).some((each) => isPartOf(value, each))
    : toText(part) === toText(value);
