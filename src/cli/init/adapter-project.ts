import type { AdapterAnswers } from './choices.js';
import { fillTemplate, packageNameOf, versionsOf, writeProject } from './project-files.js';

/** Writes a project with an adapter of one's own, a helpdesk to replace, and the conformance kit as its test. */
export function generateAdapterProject(folder: string, { language, adapter }: AdapterAnswers): string[] {
  const isTypeScript = language === 'ts';
  const name = packageNameOf(folder);
  const values = {
    name,
    language,
    harness: isTypeScript ? 'dist/test/harness.js' : 'test/harness.js',
    entry: isTypeScript ? 'dist/src/adapter.js' : 'src/adapter.js',
  };
  const facts = new Set([adapter, 'server', isTypeScript ? 'built' : 'plain']);
  const textOf = (path: string): string => fillTemplate(path, { language, facts, values });
  // One folder of the examples becomes two.
  const exampleOf = (file: string): string =>
    textOf(`examples/custom-adapter/${file}`).replace("'./adapter.js'", "'../src/adapter.js'");
  return writeProject(folder, language, {
    'package.json': `${JSON.stringify(packageJson(name, language, values.entry, values.harness), null, 2)}\n`,
    'README.md': textOf('templates/README.adapter.md'),
    '.gitignore': textOf('templates/_gitignore'),
    '.github/workflows/ci.yml': textOf('templates/_workflow.yml'),
    'vitest.config.ts': textOf('templates/vitest.config.ts'),
    'src/adapter.ts': textOf(`examples/custom-adapter/${adapter === 'full' ? 'adapter' : 'minimal'}.ts`),
    'test/adapter.test.ts': exampleOf('adapter.test.ts'),
    'test/harness.ts': exampleOf('harness.ts'),
    'test/tiny-desk.ts': exampleOf('tiny-desk.ts'),
    ...(isTypeScript && { 'tsconfig.json': textOf('templates/tsconfig.adapter.json') }),
  });
}

function packageJson(name: string, language: 'ts' | 'js', entry: string, harness: string): object {
  const isTypeScript = language === 'ts';
  const check = `handoff-kit adapter check ${harness}`;
  return {
    name,
    version: '0.1.0',
    type: 'module',
    engines: { node: '>=20.19' },
    exports: `./${entry}`,
    files: [isTypeScript ? 'dist/src' : 'src'],
    scripts: {
      ...(isTypeScript && { build: 'tsc', prepack: 'tsc' }),
      check: isTypeScript ? `tsc && ${check}` : check,
      lint: 'oxlint --deny-warnings src test',
      test: 'vitest run',
    },
    peerDependencies: versionsOf(['handoff-kit']),
    devDependencies: versionsOf([
      'handoff-kit',
      ...(isTypeScript ? ['@types/node', 'typescript'] : []),
      'oxlint',
      'vitest',
    ]),
  };
}
