import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addDatabaseFlags, DATABASE_HELP, type DatabaseFlags, runWithSqliteFile } from '../database-flags.js';
import { EXIT, megabytes, print } from '../output.js';

const MORE_HELP = `${DATABASE_HELP}

The copy is the whole database as it was when the command began: waiting jobs, dead letters, conversations and the
desk. It is one file that only its owner can read; it appears under its name when it is complete and checked. To
restore it, stop the servers, remove the old file with its -wal and -shm, put the copy in its place, and start them.
For PostgreSQL use pg_dump.

Examples:
  $ handoff-kit backup backups/handoff.db
  $ handoff-kit backup --database-url sqlite:/var/lib/handoff-kit/handoff.db "/backups/$(date +%F).db"

Exit codes: 0 the copy is complete, 1 it failed, 2 wrong use`;

/** `backup`: copies the SQLite file. */
export function define(command: Command): void {
  command
    .description('Copies the SQLite file while the server runs.')
    .argument('<copy>', 'the file to write; it must not exist');
  addDatabaseFlags(command).addHelpText('after', MORE_HELP).action(run);
}

function run(copy: string, flags: DatabaseFlags): Promise<void> {
  return runWithSqliteFile(flags, 'Back PostgreSQL up with pg_dump.', async (file, output) => {
    const { backUpSqlite } = await import('../../delivery/sqlite/index.js');
    const path = resolve(copy);
    const bytes = backUpSqlite(file, path);
    print(output, { file, copy: path, bytes }, `${file} was copied to ${path} (${megabytes(bytes)}).`);
    return EXIT.ok;
  });
}
