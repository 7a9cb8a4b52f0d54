import { isRecord } from '../internal/index.js';
import { toText } from './primitives.js';

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
      for (const [index, item] of itemsOf(before, after).entries()) {
        if (Array.isArray(after)) compare(item, after[index], `${path}[]`);
        else compare(item, after, path);
      }
    } else if (isRecord(before)) {
      const target = Array.isArray(after) ? after[0] : after;
      if (isRecord(target))
        for (const [name, value] of Object.entries(before)) compare(value, target[name], join(path, name));
      else compareText(before, target, path);
    } else if (!isHeldBy(before, after)) add(path, typeof before);
  };

  /** An object in place of a text, of which the words were read. */
  const compareText = (before: Readonly<Record<string, unknown>>, after: unknown, path: string): void => {
    const { text, ...others } = before;
    if (isNothing(text) || isNothing(after)) return void add(path, 'object');
    compare(text, after, path);
    for (const [name, value] of Object.entries(others)) {
      if (!isNothing(value)) add(join(path, name), typeof value);
    }
  };

  compare(sent, read, '');
  return [...found.values()];
}

/** Lists within a list may have been merged into it. */
const itemsOf = (before: readonly unknown[], after: unknown): readonly unknown[] =>
  Array.isArray(after) && after.some((item) => Array.isArray(item))
    ? before
    : before.flat(Number.POSITIVE_INFINITY);

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Some platforms send an empty list or text for an absent value of any type. */
const isNothing = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Whether a plain value was converted to another plain value, wrapped, or joined with others, one line each. */
function isHeldBy(value: unknown, after: unknown): boolean {
  if (typeof after !== 'object') return after !== undefined && after !== '';
  return after !== null && Object.values(after).some((part) => isPartOf(value, part));
}

const isPartOf = (value: unknown, part: unknown): boolean =>
  typeof part === 'object'
    ? part !== null && Object.values(part).some((each) => isPartOf(value, each))
    : `\n${toText(part)}\n`.includes(`\n${toText(value)}\n`);
