import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

/** What is compared: the README, and the guides whose every sentence is a promise. */
const COVERED = [
  'README.md',
  'docs/client.md',
  'docs/command-line.md',
  'docs/delivery.md',
  'docs/desk.md',
  'docs/events.md',
  'docs/helpdesks.md',
  'docs/several-agents.md',
  'docs/testing.md',
];
/** Guides with promises among other sentences. */
const PARTLY_COVERED = ['docs/credentials.md', 'docs/hosts.md', 'docs/observability.md'];

const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

/** Text without links, emphasis and the title in bold at the beginning of a bullet. */
const plain = (text: string): string =>
  text
    .trim()
    .replace(/^\*\*[^*]+\.\*\* /, '')
    .replace(/\*\*/g, '')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\s+/g, ' ');

const cellsOf = (row: string): string[] =>
  row
    .split(/(?<!\\)\|/)
    .map(plain)
    .filter((cell) => cell !== '');

/** What a Markdown text says: each sentence, and each row of a table with " · " between its cells. */
function statementsIn(markdown: string): string[] {
  const statements: string[] = [];
  let text = '';
  const endText = (): void => {
    if (text.trim() !== '') statements.push(...plain(text).split(/(?<=[.!?]) (?=[A-Z`])/));
    text = '';
  };
  for (const line of markdown.replace(/^```.*?^```$/gms, '').split('\n')) {
    if (/^($|#|!\[|\||- )/.test(line)) endText();
    if (/^\|[\s|-]+$/.test(line)) statements.pop();
    else if (line.startsWith('|')) statements.push(cellsOf(line).join(' · '));
    else if (!/^(#|!\[)/.test(line)) text += `${line.replace(/^- /, '')} `;
  }
  endText();
  return statements;
}

/** The rows of docs/claims.md, and the sentences that it lists because they promise nothing. */
function readClaims() {
  const [table = '', rest = ''] = read('docs/claims.md').split(/^## Not promises$/m);
  const rows = [...table.matchAll(/^\|(.+)\|(.+)\|$/gm)].map(([, claim = '', proofs = '']) => ({
    claim: plain(claim),
    proofs: proofs.split('<br>').map((proof) => proof.trim()),
  }));
  return {
    claims: rows.filter(({ claim }) => !/^(sentence|-+)$/.test(claim)),
    others: [...rest.matchAll(/^- (.+)$/gm)].map(([, text = '']) => plain(text)),
  };
}

const quoted = (source: string, text: string): boolean =>
  ["'", '"', '`'].some((quote) => source.includes(`${quote}${text}${quote}`));

/** What is wrong with a proof: `npm run` and a script, or a file and the names in it, from the outside to the inside. */
function problemOf(proof: string): string | null {
  const [, script] = /^`npm run ([\w:]+)`$/.exec(proof) ?? [];
  if (script) return script in JSON.parse(read('package.json')).scripts ? null : `no script: ${proof}`;
  const [, path = '', names = ''] = /^`((?:test|src)\/[^`]+)`(?:: (.+))?$/.exec(proof) ?? [];
  if (path === '' || !existsSync(new URL(path, ROOT))) return `no such file: ${proof}`;
  const source = read(path);
  // A file of the conformance kit has no names of its own; a source is cited by a word in it.
  const isThere = (name: string) => (path.startsWith('src/') ? source.includes(name) : quoted(source, name));
  const missing = names.split(' › ').filter((name) => name !== '' && !isThere(name));
  return missing.length > 0 ? `not in ${path}: ${missing.join(', ')}` : null;
}

describe('docs/claims.md', () => {
  const { claims, others } = readClaims();
  const listed = [...claims.map(({ claim }) => claim), ...others];

  it.each(COVERED)('has everything that %s says; a new sentence needs a row with its proof', (path) => {
    const said = statementsIn(read(path));
    expect(said.length).toBeGreaterThan(5);
    expect(said.filter((statement) => !listed.includes(statement))).toEqual([]);
  });

  it('has nothing that is no longer said', () => {
    const said = [...COVERED, ...PARTLY_COVERED].flatMap((path) => statementsIn(read(path)));
    expect(listed.filter((statement) => !said.includes(statement))).toEqual([]);
  });

  it('names proofs that exist', () => {
    expect(
      claims.flatMap(({ proofs }) => proofs.map(problemOf)).filter((problem) => problem !== null),
    ).toEqual([]);
  });

  it('is compared by sentences and by rows of tables', () => {
    const text =
      '# Title\n\n![Picture](x.png)\n\nOne [link](y)\nhere. Two.\n\n- **Bold.** Three: `a.b`. Four\n- Five\n\n```ts\ncode\n```\n\n| h | i |\n|---|---|\n| a | **b** |\n';
    expect(statementsIn(text)).toEqual(['One link here.', 'Two.', 'Three: `a.b`.', 'Four', 'Five', 'a · b']);
  });

  it('is refused with a proof that does not exist', () => {
    expect(problemOf('`test/docs/claims.test.ts`: docs/claims.md › names proofs that exist')).toBeNull();
    expect(
      problemOf('`test/docs/claims.test.ts`: docs/claims.md › shows nothing'.replace('shows', 'proves')),
    ).toContain('not in');
    expect(problemOf('`test/none.test.ts`: a test')).toContain('no such file');
    expect(problemOf('`npm run nothing`')).toContain('no script');
    expect(problemOf('I am sure')).toContain('no such file');
  });
});
