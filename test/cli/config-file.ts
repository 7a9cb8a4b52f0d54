import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../standalone/databases.js';

/** Creates a file for `--config` that exists until the test ends. */
export function fileWith(settings: Readonly<Record<string, string>>): string {
  const file = join(temporaryFolder(), 'handoff.json');
  writeFileSync(file, JSON.stringify(settings));
  return file;
}
