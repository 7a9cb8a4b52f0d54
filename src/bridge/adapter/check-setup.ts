import { configError } from '../../internal/index.js';
import { type AdapterCheckResult, AdapterError } from './adapter-types.js';

/** The secrets of a setting, which has several during a rotation. Throws a configuration error when one is empty. */
export function checkSecrets(secret: string | readonly string[], message: string): readonly string[] {
  const secrets = [secret].flat().map((each) => each.trim());
  if (secrets.length > 0 && !secrets.includes('')) return secrets;
  throw configError(message);
}

/** Throws a configuration error when one of the values is empty or has white space, as a truncated copy has. */
export function checkWords(system: string, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== '' && !/\s/.test(value)) continue;
    throw configError(`${system}: ${name} must not be empty or contain white space; copy it again.`);
  }
}

/** Runs one check of an adapter's setup: the finding, or the failure with its remedy. */
export async function runCheck(
  name: string,
  check: () => Promise<string>,
  remedy: string,
): Promise<AdapterCheckResult> {
  try {
    return { name, ok: true, detail: await check() };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { name, ok: false, detail: `${error.message} ${remedy}`.trim() };
  }
}
