// @ts-check
// Writes reference/api from the sources with TypeDoc: one page for each entry of the package.
import { readdirSync } from 'node:fs';
import { Application } from 'typedoc';

const ROOT = new URL('../../', import.meta.url);

/** The sources of the entries, without `src/` and `.ts`, and the names that users import. */
const names = readdirSync(new URL('src/public', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length).replaceAll('\\', '/'))
  .map((path) => ({
    source: `public/${path}`,
    name: path === 'index' ? 'handoff-kit' : `handoff-kit/${path}`,
  }));

const application = await Application.bootstrapWithPlugins(
  /** @type {import('typedoc').TypeDocOptions} */ ({
    entryPoints: names.map(({ source }) => new URL(`src/${source}.ts`, ROOT).pathname),
    tsconfig: new URL('tsconfig.json', ROOT).pathname,
    plugin: ['typedoc-plugin-markdown'],
    // TypeScript 7 checks the sources and has no API; TypeDoc reads them with an older one.
    skipErrorChecking: true,
    out: new URL('docs/reference/api', ROOT).pathname,
    outputFileStrategy: 'modules',
    readme: 'none',
    entryFileName: 'index',
    disableSources: true,
    excludeInternal: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    useCodeBlocks: true,
    useHTMLAnchors: true,
    logLevel: 'Error',
  }),
);
const project = await application.convert();
if (!project) throw new Error('TypeDoc could not read the sources.');
// TypeDoc names a module by its file, without the folder that all have in common.
for (const module of project.children ?? []) {
  const entry = names.find(({ source }) =>
    [`public/${module.name}`, module.name, `public/${module.name}/index`].includes(source),
  );
  if (entry) module.name = entry.name;
}
await application.generateOutputs(project);
