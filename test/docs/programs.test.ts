import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformWithOxc } from 'vite';
import { expect, it, onTestFinished } from 'vitest';
import { createSimulator } from '../../src/simulator/index.js';
import { PAGES, programsIn, ROOT } from './pages.js';
import { readersFolder } from './reader.js';

/** Programs that run elsewhere, or that cannot run here, by a part of their code, and why. */
const NOT_HERE: readonly (readonly [page: string, part: string, why: string])[] = [
  ['README.md', 'createReceiver', 'readme.test.ts runs it'],
  ['docs/hosts.md', '', 'hosts.long.test.ts runs its files'],
  ['docs/testing.md', "from 'node:test'", 'testing.test.ts runs its tests'],
  ['docs/recordings.md', "from 'node:test'", 'it needs a recording; test/recording/replay.test.ts has one'],
  ['docs/adapters.md', 'declare function startFakeDesk', 'adapters-guide.long.test.ts runs its tests'],
  ['docs/adapters.md', "from './our-desk.conformance.js'", 'adapters-guide.long.test.ts runs its test'],
  ['docs/desk-api.md', '', 'desk-api.test.ts runs it'],
  ['src/adapters/chat-sdk/README.md', 'startGatewayListener', "it waits for Discord's gateway"],
];

const isHere = (page: string, code: string): boolean =>
  !NOT_HERE.some(([each, part]) => each === page && code.includes(part));

const KEY = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** The settings that the programs read. */
const SETTINGS = {
  WEBHOOK_USERNAME: 'acme',
  HANDOFF_TOKEN: 'a-token-for-this-machine',
  PLATFORM_API_KEY: 'key',
  LOG_LEVEL: 'silent',
  MAIL_SMTP_URL: 'smtp://127.0.0.1:1?tls=off',
  MAIL_IMAP_URL: 'imap://reader:password@127.0.0.1:1?tls=off',
  RT_TOKEN: `1-14-${'0'.repeat(32)}`,
  RT_WEBHOOK_SECRET: 'a-secret-of-the-scrip',
  SLACK_BOT_TOKEN: 'xoxb-1',
  TEAMS_CHANNEL: 'teams:19:channel@thread.tacv2',
  ZOHO_SALESIQ_PUBLIC_KEY: String(KEY.publicKey.export({ type: 'spki', format: 'pem' })),
  TEAMS_APP_ID: 'app',
  TEAMS_APP_PASSWORD: 'password',
  TEAMS_APP_TENANT_ID: 'tenant',
};

/** Other variables that a program reads get a word. */
const settingsFor = (code: string): Record<string, string> => ({
  ...Object.fromEntries([...code.matchAll(/process\.env\.([A-Z_]+)/g)].map(([, name]) => [name, 'word1'])),
  ...SETTINGS,
});

/** A block that continues a program takes the place of the call that it shows; other statements follow the program. */
function variantsOf([first = '', ...others]: readonly string[]): string[] {
  const call = /^(?:const desk = )?createDesk\(\{[\s\S]*?\}\);\n/m;
  const additions = others.filter((part) => !call.test(part));
  const replaced = others
    .filter((part) => call.test(part))
    .map((part) => first.replace(call, part.replace('createDesk(', 'const desk = createDesk(')));
  return [`${first}${additions.join('')}`, ...replaced];
}

it('every program runs as it is: its receiver handles events, and its server answers', async () => {
  const simulator = createSimulator({ bots: [{ id: 'bot', apiKey: SETTINGS.PLATFORM_API_KEY }] });
  onTestFinished(() => simulator.close());
  const folder = readersFolder();
  const programs = PAGES.flatMap((page) =>
    programsIn(page)
      .flatMap(({ file, parts }) =>
        variantsOf(parts).map((code, index) => ({
          page,
          code,
          script: join(folder, page.replaceAll(/\W/g, '-'), `${index || ''}${file.replace(/ts$/, 'js')}`),
        })),
      )
      .filter(({ code }) => isHere(page, code)),
  );
  expect(programs.length).toBeGreaterThan(30);
  for (const { code, script } of programs) {
    mkdirSync(`${script}-folder`, { recursive: true });
    // Without its helpdesk a bridge cannot open a conversation.
    const isDriven = /^const receiver = /m.test(code) && !code.includes('createBridge(');
    const exported = isDriven ? '\nexport { receiver as receiverOfProgram };\n' : '';
    const compiled = await transformWithOxc(code + exported, 'program.ts', { sourcemap: false });
    writeFileSync(script, compiled.code);
  }
  const settings = settingsFor(programs.map(({ code }) => code).join('\n'));
  const runner = join(ROOT, 'test/docs/run-programs.js');
  await promisify(execFile)(process.execPath, [runner, ...programs.map(({ script }) => script)], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...settings, PLATFORM_BASE_URL: await simulator.listen() },
  });
  const results: RunResult[] = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
  const problems = programs.flatMap(({ page, code }, index) => {
    const found = problemOf(code, results[index]);
    return found === null ? [] : [{ page, code, found }];
  });
  expect(problems).toEqual([]);
}, 600_000);

/** What went wrong when a program ran; `null` if nothing did. */
function problemOf(code: string, result: RunResult | undefined): unknown {
  const { error, events, probes } = result ?? { error: 'it did not run', events: [], probes: [] };
  if (error !== null) return error;
  // Where credentials are needed, the refusal shows that the receiver is there.
  const isServed = probes.length === 1 && probes.every((status) => status === 200 || status === 401);
  if (code.includes('.listen(') && !isServed) return { probes };
  const failed = events.filter(({ outcome }) => outcome === 'failed');
  if (failed.length > 0) return failed;
  const replies = events.find(({ name }) => name === 'handoff.message')?.replies.length;
  return /'handoff\.message', async \(\{.*reply/.test(code) && replies !== 1 ? { replies } : null;
}

interface RunResult {
  readonly error: string | null;
  readonly events: readonly { name: string; outcome: string; replies: readonly object[] }[];
  readonly probes: readonly number[];
}

it('what runs elsewhere is still there', () => {
  for (const [page, part] of NOT_HERE) {
    expect(
      programsIn(page).some(({ parts }) => parts.join('').includes(part)),
      `${page}: ${part}`,
    ).toBe(true);
  }
});
