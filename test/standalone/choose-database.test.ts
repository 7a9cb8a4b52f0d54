import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseDatabase, SettingsError } from '../../src/standalone/index.js';
import { temporaryFolder } from './databases.js';

function configFile(content: string): string {
  const file = join(temporaryFolder(), 'handoff.json');
  writeFileSync(file, content);
  return file;
}

describe('the database of a command', () => {
  it('comes from the config file of the server', () => {
    const path = configFile(JSON.stringify({ port: 3_000, DATABASE_URL: 'sqlite:/var/lib/x.db' }));
    expect(chooseDatabase({ configFile: path })).toEqual({ kind: 'sqlite', file: resolve('/var/lib/x.db') });
  });

  it('comes from the flag or the environment first', () => {
    const path = configFile(JSON.stringify({ databaseUrl: 'sqlite:/var/lib/x.db' }));
    expect(chooseDatabase({ databaseUrl: 'none', configFile: path })).toEqual({ kind: 'none' });
  });

  it('is the default when nothing names one', () => {
    const fallback = { kind: 'sqlite', file: resolve('handoff.db') };
    expect(chooseDatabase({})).toEqual(fallback);
    expect(chooseDatabase({ configFile: configFile('{"port":1}') })).toEqual(fallback);
  });

  it('does not depend on other problems of the file', () => {
    const path = configFile(JSON.stringify({ prot: 1, databaseUrl: 'none' }));
    expect(chooseDatabase({ configFile: path })).toEqual({ kind: 'none' });
  });

  it('is not guessed when the file cannot be read', () => {
    expect(() => chooseDatabase({ configFile: configFile('{') })).toThrow(SettingsError);
    expect(() => chooseDatabase({ configFile: '/no/such/file' })).toThrow(/cannot be read/);
  });
});
