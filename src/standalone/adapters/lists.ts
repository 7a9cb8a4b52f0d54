import { configError } from '../../internal/index.js';

const NAMED = /^([UW][A-Z0-9]+)\s*=\s*(.+)$/s;

/** Several in one setting, with commas between them: secrets while one is being changed, or words. */
export const listOf = (text: string): readonly string[] => text.split(',').map((each) => each.trim());

/** Names by ids in one setting, such as `U0123456789=Ann, U0987654321=Ben`. */
export function namesOf(text: string): Readonly<Record<string, string>> {
  const pairs = listOf(text).map((each): [string, string] => {
    const [, id, name] = NAMED.exec(each) ?? [];
    if (id !== undefined && name !== undefined) return [id, name];
    throw configError('must be user ids with names, such as U0123456789=Ann, U0987654321=Ben.');
  });
  return Object.fromEntries(pairs);
}
