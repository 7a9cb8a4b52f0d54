import { createColors } from 'picocolors';
import type { DoctorReport, DoctorResult } from '../../doctor/index.js';
import { printable } from '../../standalone/index.js';

/** How an examination is told to people. */
export interface Report {
  /** A row of the table, with what to do below it where the check failed. */
  row(result: DoctorResult): string;
  /** What it comes to. */
  summary(examination: DoctorReport): string;
}

const WORDS = { pass: 'pass', fail: 'FAIL', 'not testable': 'n/a ' } as const;

/** Writes an examination for people. `idWidth` is the width of the column of ids. */
export function createReport(idWidth: number, colours: boolean): Report {
  const { bold, cyan, dim, green, red, yellow } = createColors(colours);
  const paint = { pass: green, fail: red, 'not testable': dim } as const;
  const indent = ' '.repeat('FAIL'.length + 2);

  return {
    row(result) {
      const { id, expects, advice, verdict } = result;
      const head = `${paint[verdict](WORDS[verdict])}  ${id.padEnd(idWidth)}  ${expects}`;
      if (verdict === 'pass') return head;
      if (result.verdict === 'not testable') return `${head}\n${dim(`${indent}not testable: ${result.why}`)}`;
      if (result.verdict !== 'fail') return head;
      const problems = result.problems.map((problem) => `${indent}${red('✘')} ${printable(problem)}`);
      return [head, ...problems, `${indent}${cyan('→')} ${advice}`].join('\n');
    },
    summary({ results, requests, leftOpen }) {
      const { pass, fail, notTestable } = countsOf(results);
      const counts = `${pass} passed, ${fail} failed, ${notTestable} not testable`;
      const left = leftOpen.map(printable).join(', ');
      return [
        '',
        `${(fail === 0 ? green : red)(bold(counts))}; ${requests} requests.`,
        ...(leftOpen.length > 0 ? [yellow(`These handoffs could not be closed again: ${left}`)] : []),
      ].join('\n');
    },
  };
}

/** How many checks came to what. */
export function countsOf(results: readonly DoctorResult[]) {
  const count = (wanted: DoctorResult['verdict']) =>
    results.filter(({ verdict }) => verdict === wanted).length;
  return { pass: count('pass'), fail: count('fail'), notTestable: count('not testable') };
}
