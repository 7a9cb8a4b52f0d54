import { createColors } from 'picocolors';
import { printable } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import { print } from '../run-command.js';
import type { GroupsOutcome } from './send-in-groups.js';

/** Shows what became of files or pairs. Gives the exit code: all of it must be done for a yes. */
export function report<File extends { readonly file_name: string }>(
  outcome: GroupsOutcome<File>,
  verb: 'added' | 'updated',
  output: Output,
): number {
  const { documents, failed, unknown, notDone, error } = outcome;
  const ok = error === null && failed.length === 0;
  const { green, red, yellow } = createColors(output.colours);
  const names = (files: readonly File[]): string[] => files.map(({ file_name }) => file_name);
  const text = [
    ...part(
      green(`${documents.length} ${verb}:`),
      documents.map(({ doc_id, doc_name }) => `${doc_id}  ${doc_name}`),
    ),
    ...part(red(`${failed.length} failed, says the service:`), failed),
    ...part(yellow(`${unknown.length} may be ${verb}, the answer did not come:`), names(unknown)),
    ...part(red(`${notDone.length} not ${verb}:`), names(notDone)),
    ...(error ? [red(printable(error.message))] : []),
  ].join('\n');
  const failure = error && { error: { code: error.code, message: error.message } };
  print(output, { ok, documents, failed, unknown, notDone, ...failure }, text);
  return ok ? EXIT.ok : EXIT.no;
}

const part = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${printable(line)}`)];
