import { closestName } from './closest-name.js';
import { configError } from './error.js';

/**
 * Throws for unknown options, which are misspelt or belong elsewhere.
 *
 * @param place - whose options these are, such as `createBridge` or `limits of createBridge`
 */
export function checkOptionNames(place: string, options: object | undefined, known: readonly string[]): void {
  const unknown = Object.keys(options ?? {}).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const closest = closestName(unknown[0] ?? '', known);
  const hint = closest === null ? `It knows ${known.join(', ')}.` : `Did you mean ${closest}?`;
  throw configError(`${place} does not know the option ${unknown.join(', ')}. ${hint}`);
}
