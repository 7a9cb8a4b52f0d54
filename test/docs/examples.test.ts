import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT, read } from './pages.js';

const WORK = join(ROOT, '.examples-check');

const sourcesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

/** The names that a source file exports, each with whether it is a type. */
function exportsOf(file: string): Map<string, boolean> {
  const text = read(file);
  const names = new Map<string, boolean>();
  for (const [, from = ''] of text.matchAll(/^export (?:type )?\* from '(.+)\.js';/gm)) {
    for (const [name, isType] of exportsOf(`${join(dirname(file), from)}.ts`)) names.set(name, isType);
  }
  for (const [, isType, list = ''] of text.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const [, type = isType, name = ''] of list.matchAll(/(type )?(?:\w+ as )?(\w+)\s*(?:,|$)/g)) {
      names.set(name, type !== undefined);
    }
  }
  const declared = /^export (?:declare |abstract |async )*(function|const|class|interface|type) (\w+)/gm;
  for (const [, kind = '', name = ''] of text.matchAll(declared)) {
    names.set(name, kind === 'interface' || kind === 'type');
  }
  return names;
}

const importOf = (name: string, isType: boolean, module: string): string =>
  `import ${isType ? 'type ' : ''}{ ${name} } from '${module}';\n`;

/** The modules of the package, with their names. */
const MODULES = sourcesIn('src/public').map((file) => ({
  module: file.replace(/^src\/public\/(.+)\.ts$/, (_, path) =>
    path === 'index' ? 'handoff-kit' : `handoff-kit/${path}`,
  ),
  names: exportsOf(file),
}));

/** Names of an application, and of the packages that it uses, which examples take as given. */
const SURROUNDINGS = `
type Kit = typeof import('handoff-kit') & typeof import('handoff-kit/testing') & typeof import('handoff-kit/simulator');
type Adapter = import('handoff-kit/adapter').Adapter;
type Made<Name extends keyof Kit> = Kit[Name] extends (...args: never) => infer Result ? Awaited<Result> : never;
declare global {
  const app: import('express').Express;
  const response: import('node:http').ServerResponse, bytes: Buffer;
  const receiver: import('handoff-kit').Receiver;
  const auth: import('handoff-kit').BotOptions['auth'], platform: import('handoff-kit').BotOptions['platform'];
  const reply: import('handoff-kit').HandlerContext<'handoff.message'>['reply'];
  const payload: import('handoff-kit').EventPayloads['message'];
  const client: import('handoff-kit/client').PlatformClient;
  const bench: Made<'createTestBench'>, proxy: Made<'createFaultProxy'>, simulator: Made<'createSimulator'>;
  const clock: Made<'createManualClock'>, conversation: Awaited<ReturnType<typeof simulator.requestHandoff>>;
  const bots: import('handoff-kit/simulator').SimulatedBot[];
  const bridge: import('handoff-kit/bridge').Bridge, desk: import('handoff-kit/desk').Desk;
  const adapter: import('handoff-kit/adapters/chat-sdk').ChatSdkAdapter, chat: import('chat').Chat;
  const capabilities: Adapter['capabilities'], calls: Required<Omit<Adapter, 'name' | 'capabilities'>>;
  const session: import('handoff-kit/adapter').HandoffSession, call: import('handoff-kit/adapter').AdapterCall;
  const http: import('handoff-kit/adapter').AdapterHttp, harness: import('handoff-kit/testing').AdapterHarness;
  const settings: import('handoff-kit/adapters/chatwoot').ChatwootSettings;
  const connection: { events(options: object): AsyncIterable<import('handoff-kit/adapter').InboundEvent>; close(): Promise<void> };
  const crm: {
    maxLength: number;
    isUp(): Promise<boolean>;
    note(text: string, options?: { key: string }): Promise<void>;
    find(user: string | null): Promise<{ isPremium: boolean; plan: string; orders: { number: string }[] }>;
  };
  const blocked: Set<string>, sessions: { find(cookie?: string): Promise<{ id: string; name: string } | null> };
  function ourDesk(settings: object): Adapter;
  function idOf(body: unknown): string;
  function eventsOf(body: unknown): import('handoff-kit/adapter').InboundEvent[];
  function cursorOf(body: unknown): string;
  function generateAnswer(text: string): Promise<string>;
  const baseUrl: string, apiKey: string, token: string, secret: string, username: string, password: string;
  const url: string, text: string, conversationId: string, connectionString: string, webhookSecret: string, pem: string;
  const method: string, headers: Record<string, string>;
}
`;

/** Names of packages that examples use without an import. */
const PACKAGES: Readonly<Record<string, string>> = {
  assert: "import assert from 'node:assert/strict';\n",
  Chat: "import { Chat } from 'chat';\n",
  createMemoryState: "import { createMemoryState } from '@chat-adapter/state-memory';\n",
  createPublicKey: "import { createPublicKey } from 'node:crypto';\n",
  createTeamsAdapter: "import { createTeamsAdapter } from '@chat-adapter/teams';\n",
  expect: "import { expect } from 'vitest';\n",
  pino: "import { pino } from 'pino';\n",
  writeFileSync: "import { writeFileSync } from 'node:fs';\n",
  z: "import { z } from 'zod';\n",
};

interface Example {
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** The examples of a source file: from the tag to the next one, or to a paragraph of words. */
function examplesIn(file: string): Example[] {
  const text = read(file);
  return [...text.matchAll(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g)].flatMap(({ 0: comment, index }) => {
    const before = text.slice(0, index);
    const lines = comment.slice(3, -2).replace(/^[ \t]*\* ?/gm, '');
    return lines
      .split(/^@example\b/m)
      .slice(1)
      .map((part) => ({
        file,
        line: before.split('\n').length,
        code: inContext(part.split(/^(?:@\w+|Where to look next:)/m, 1)[0]?.trim() ?? '', before),
      }));
  });
}

/** A member of an object is compiled as one: of the interface that it belongs to, or of an adapter. */
function inContext(code: string, before: string): string {
  const isMember = /^(?:async )?\w+(?:\([^;]*\) \{\n|: )/.test(code);
  if (!isMember) return code;
  const [, owner = 'Adapter'] = /\n(?:export )?interface (\w+)(?:(?!\n\}\n)[\s\S])*$/.exec(before) ?? [];
  return `const example: Partial<${owner}> = {\n${code}\n};`;
}

/** Imports of the names that an example uses and does not declare: public ones, or those of its own file. */
function importsFor({ file, code }: Example): string {
  const withoutTexts = code.replace(/'[^'\n]*'|\/\/.*/g, '');
  const used = new Set(withoutTexts.match(/(?<![.\w])[A-Za-z]\w*\b(?!\??:)/g));
  for (const [, list = ''] of code.matchAll(/^import (?:type )?\{([^}]*)\}/gm)) {
    for (const name of list.match(/\w+/g) ?? []) used.delete(name);
  }
  for (const [, name = ''] of withoutTexts.matchAll(/(?:const|function) (\w+)/g)) used.delete(name);
  const here = MODULES.filter(({ module }) => file.includes(module.replace('handoff-kit', '')));
  const own = { module: `../${file.replace(/\.tsx?$/, '.js')}`, names: exportsOf(file) };
  return [...used]
    .flatMap((name) => {
      if (name in PACKAGES) return PACKAGES[name] ?? [];
      const found = [...here, ...MODULES, own].find(({ names }) => names.has(name));
      return found ? importOf(name, found.names.get(name) ?? false, found.module) : [];
    })
    .join('');
}

it('every @example compiles', () => {
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK);
  onTestFinished(() => rmSync(WORK, { recursive: true, force: true }));
  const config = {
    extends: '../tsconfig.json',
    compilerOptions: { noUnusedLocals: false, noUnusedParameters: false, exactOptionalPropertyTypes: false },
    include: ['*.ts'],
  };
  writeFileSync(join(WORK, 'tsconfig.json'), JSON.stringify(config));
  writeFileSync(join(WORK, 'surroundings.ts'), SURROUNDINGS);
  const examples = sourcesIn('src').flatMap(examplesIn);
  expect(examples.length).toBeGreaterThan(150);
  for (const example of examples) {
    const name = `${example.file.slice('src/'.length).replaceAll('/', '_')}_${example.line}.ts`;
    writeFileSync(join(WORK, name), `${importsFor(example)}${example.code}\nexport {};\n`);
  }
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  expect(spawnSync(process.execPath, [tsc, '-p', WORK], { encoding: 'utf8' }).stdout).toBe('');
}, 600_000);
