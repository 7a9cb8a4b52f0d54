import { once } from 'node:events';
import type { Command } from 'commander';
import {
  addDatabaseFlags,
  DATABASE_HELP,
  type DatabaseFlags,
  type OpenQueues,
  runWithDatabase,
  runWithSqliteFile,
} from '../database-flags.js';
import { EXIT, megabytes, type Output, print } from '../output.js';

/** `storage`: the database as a whole. */
export function define(storage: Command): void {
  storage.description('Checks, compacts and exports the database of a server.');
  defineCheck(storage);
  defineCompact(storage);
  defineExport(storage);
}

const CHECK_HELP = `${DATABASE_HELP}

It reads the whole file of SQLite, checks that only its owner can read it, and looks for waiting jobs that no server
would ever take, in PostgreSQL, too.

Exit codes: 0 the database is sound, 1 it is not, or cannot be opened, 2 wrong use`;

function defineCheck(storage: Command): void {
  const command = storage
    .command('check')
    .summary('check that the database is sound')
    .description('Checks that the database is sound.');
  addDatabaseFlags(command)
    .addHelpText('after', CHECK_HELP)
    .action((flags: DatabaseFlags) => runWithDatabase(flags, check));
}

async function check({ stuckConversations, name, file }: OpenQueues, output: Output): Promise<number> {
  const report = file === null ? null : (await import('../../delivery/sqlite/index.js')).checkSqlite(file);
  const stuck = await stuckConversations();
  const stuckText = `${stuck} conversations have waiting jobs that no server would take. Export the database, and report it as a bug of this package.`;
  const problems = [...(report?.problems ?? []), ...(stuck === 0 ? [] : [stuckText])];
  const { bytes = 0, freeBytes = 0, logBytes = 0 } = report ?? {};
  const sizes = report && { bytes, freeBytes, logBytes };
  const sizeText = report
    ? ` It has ${megabytes(bytes)}, ${megabytes(freeBytes)} of which are free, and a log of ${megabytes(logBytes)}.`
    : '';
  const text = problems.length === 0 ? `${name} is sound.` : problems.join('\n');
  print(output, { database: name, sound: problems.length === 0, problems, ...sizes }, `${text}${sizeText}`);
  return problems.length === 0 ? EXIT.ok : EXIT.no;
}

const COMPACT_HELP = `${DATABASE_HELP}

SQLite keeps the space of removed jobs for new ones, so the file has the size of the longest queue that it ever held.
This rewrites it without free space, and needs room on the disk for a second copy. A server may run, but cannot store
anything meanwhile; it answers 503 if that takes more than five seconds. PostgreSQL does this by itself (autovacuum).

Exit codes: 0 success, 1 failure, 2 wrong use`;

function defineCompact(storage: Command): void {
  const command = storage
    .command('compact')
    .summary('give the free space of the SQLite file back')
    .description('Rewrites the SQLite file without its free space.');
  addDatabaseFlags(command).addHelpText('after', COMPACT_HELP).action(compact);
}

function compact(flags: DatabaseFlags): Promise<void> {
  return runWithSqliteFile(flags, 'PostgreSQL does this by itself.', async (file, output) => {
    const { compactSqlite } = await import('../../delivery/sqlite/index.js');
    const { before, after } = compactSqlite(file);
    const text = `${file} had ${megabytes(before)} and has ${megabytes(after)}, log included.`;
    print(output, { file, before, after }, text);
    return EXIT.ok;
  });
}

const EXPORT_HELP = `${DATABASE_HELP}

Each line is a JSON object whose "type" is "job" (a stored event or reply) or "conversation" (a handed-over one). The
lines hold what users wrote: keep them as you keep the database. Jobs that finish meanwhile may be missing; for one
moment in time, export a backup. What the desk stores is not part of it.

Examples:
  $ handoff-kit storage export > handoff.jsonl
  $ handoff-kit storage export --database-url sqlite:backups/handoff.db > handoff.jsonl

Exit codes: 0 success, 1 failure, 2 wrong use`;

function defineExport(storage: Command): void {
  const command = storage
    .command('export')
    .summary('write jobs and conversations as JSON lines')
    .description('Writes every job and every handed-over conversation to standard output, as JSON lines.');
  addDatabaseFlags(command)
    .addHelpText('after', EXPORT_HELP)
    .action((flags: DatabaseFlags) => runWithDatabase(flags, exportRecords));
}

async function exportRecords({ records }: OpenQueues): Promise<number> {
  for await (const record of records()) {
    if (!process.stdout.write(`${JSON.stringify(record)}\n`)) await once(process.stdout, 'drain');
  }
  return EXIT.ok;
}
