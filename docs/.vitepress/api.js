// @ts-check
// Writes reference/api from the sources with TypeDoc: one page for each entry of the package, and a first page that begins
// with the names that most programs use.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Application } from 'typedoc';

const ROOT = new URL('../../', import.meta.url);
const API = new URL('docs/reference/api/', ROOT);

/** @type {[name: string, entry: string, what: string, guide: string][]} */
const MOST_USED = [
  ['createReceiver', 'handoff-kit', 'creates a receiver, to be mounted in your server', 'hosts'],
  ['on', 'handoff-kit', 'adds a handler for one kind of event to a receiver', 'events'],
  ['webhookUser', 'handoff-kit', 'accepts messages with the username and secret of the bot', 'credentials'],
  ['pathToken', 'handoff-kit', 'accepts handoff requests with a token in their path', 'credentials'],
  [
    'sqlite',
    'handoff-kit/delivery/sqlite',
    'stores events and replies in a file, for one machine',
    'delivery',
  ],
  [
    'postgres',
    'handoff-kit/delivery/postgres',
    'stores them in PostgreSQL, for several machines',
    'delivery',
  ],
  ['createDesk', 'handoff-kit/desk', 'creates the desk, where agents answer in the browser', 'desk'],
  ['createBridge', 'handoff-kit/bridge', 'connects a receiver to a helpdesk through an adapter', 'helpdesks'],
  [
    'createPlatformClient',
    'handoff-kit/client',
    'calls the API of the platform without a receiver',
    'client',
  ],
  [
    'createTestBench',
    'handoff-kit/testing',
    'connects a receiver to a simulated platform in tests',
    'testing',
  ],
];

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
    out: API.pathname,
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
/** The first sentence about each entry. */
const summaries = new Map();
// TypeDoc names a module by its file, without the folder that all have in common.
for (const module of project.children ?? []) {
  const entry = names.find(({ source }) =>
    [`public/${module.name}`, module.name, `public/${module.name}/index`].includes(source),
  );
  if (entry) module.name = entry.name;
  const comment = module.comment?.summary.map(({ text }) => text).join('') ?? '';
  summaries.set(module.name, /^.+?\.(?=\s|$)/s.exec(comment)?.[0].replaceAll('\n', ' ') ?? '');
}
await application.generateOutputs(project);

/** The lines of the first page. The links are those that TypeDoc has given to the names. */
const mostUsed = MOST_USED.map(([name, entry, what, guide]) => {
  const text = readFileSync(new URL(`${entry}.md`, API), 'utf8');
  const [, anchor] = new RegExp(`<a id="([^"]+)"></a>\\n+#+ ${name}\\(\\)$`, 'm').exec(text) ?? [];
  if (!anchor) throw new Error(`${entry} has no ${name}: correct the list in ${import.meta.filename}`);
  const title = name === 'on' ? 'Receiver.on' : name;
  return `- [\`${title}\`](${entry}.md#${anchor}) of \`${entry}\` ${what}. [Guide](../../${guide}.md)`;
});
const entries = names
  .map(({ name }) => name)
  .sort()
  .map((name) => `- [\`${name}\`](${name}.md): ${summaries.get(name)}`);
writeFileSync(
  new URL('index.md', API),
  `# API reference

The ten names that most programs use. All the others are on the pages of their entries, below.

${mostUsed.join('\n')}

## Entries

Everything that is exported, by the name to import from.

${entries.join('\n')}
`,
);
