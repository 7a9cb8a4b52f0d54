import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createPlatformClient } from '../../src/client/index.js';
import { backUpSqlite, sqlite } from '../../src/delivery/sqlite/index.js';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { createSimulator } from '../../src/simulator/index.js';
import { fixtures } from '../../src/testing/index.js';
import { runCli, startCli } from '../cli/run-cli.js';
import { serve } from '../helpers/serve.js';
import { deadLettersIn, temporaryFolder } from '../standalone/databases.js';
import { ENVIRONMENT } from '../standalone/environment.js';
import { startStandalone } from '../standalone/in-process.js';
import { post } from '../standalone/program.js';
import { WAIT_OPTIONS } from '../standalone/wait-options.js';
import { commandLinesIn, PAGES, read } from './pages.js';

/** Lines that are no commands to run here, and why. */
const NOT_RUN: readonly (readonly [line: RegExp, why: string])[] = [
  [/\[options\]|<command>/, 'the form of a command'],
  [/^(?:adapter|desk|inbox|outbox|send|storage|knowledge|help)$/, 'a group of commands'],
  [
    /^(?:backup|close|completion|record|replay|reply|forget|desk add-agent|(?:inbox|outbox) (?:show|retry|discard))$/,
    'the name of a command',
  ],
  [/^adapter check/, 'it needs a helpdesk: test/cli/adapter.test.ts runs it against fakes'],
  [/^record --to FILE$/, 'a line without its flags, which stands in full elsewhere'],
  [/^replay /, 'it needs a recording of the receiver: test/cli/recordings.test.ts runs it with one'],
  [/^adapter scrip --url …/, 'a line with an ellipsis, which stands in full beside it'],
];

const LINES = [...new Set(PAGES.flatMap((page) => commandLinesIn(read(page))))].map((line) => line.trim());
const reasonFor = (line: string): string | undefined => NOT_RUN.find(([pattern]) => pattern.test(line))?.[1];
const COMMANDS = LINES.filter((line) => reasonFor(line) === undefined);

/** Commands that run until a signal, and what they print before. */
const ENDLESS: readonly (readonly [line: RegExp, printed: RegExp])[] = [
  [/^serve(?!.*--help)/, /listens on/],
  [/^simulate/, /http:\/\//],
  [/^demo(?!.*--script)/, /http:\/\//],
  [/^health .*--watch/, /./],
  [/^record/, /http:\/\//],
];

const API_KEY = 'key-of-the-reader';
const SCRIP = { RT_WEBHOOK_SECRET: 'a-secret-of-the-scrip' };

/** Files that the commands name. */
const FILES: Readonly<Record<string, string>> = {
  'body.json': JSON.stringify(fixtures.chat({ conversation_id: 'send-1' })),
  'message.json': JSON.stringify(fixtures.message()),
  'shipping.csv': 'question,answer\nHow long?,Two days.\n',
  'knowledge/shipping.md': '## How long?\n\nTwo days.\n',
  'shipping.json': '[{"question": "How long?", "answer": "Two days."}]',
};

/** A simulated platform, and a receiver that replies to every message. */
async function startWorld() {
  const simulator = createSimulator({ bots: [{ id: 'bot', apiKey: API_KEY }] });
  onTestFinished(() => simulator.close());
  const platform = await simulator.listen();
  const settings = { PLATFORM_BASE_URL: platform, PLATFORM_API_KEY: API_KEY };
  const { url } = await startStandalone({ ...settings, AUTO_REPLY: 'You said: {text}', ADAPTER: 'none' });
  const receiver = `${url}/webhook`;
  const { WEBHOOK_USERNAME: username, WEBHOOK_SECRET: secret, HANDOFF_TOKEN: token } = ENVIRONMENT;
  simulator.bots.update('bot', {
    message: { url: receiver, username, secret },
    humanServices: [{ componentId: 'desk', url: `${receiver}/${token}` }],
  });
  return { simulator, platform, settings, receiver };
}

/** A database with two dead letters in each queue, of a user who can be forgotten. */
async function storeJobs(file: string): Promise<void> {
  const simulator = createSimulator({ bots: [{ id: 'bot', apiKey: API_KEY }] });
  const platform = { baseUrl: await simulator.listen(), apiKey: API_KEY };
  const delivery = sqlite({ file, maxAttempts: 1 });
  const auth = { message: false, handoff: noAuth() } as const;
  const receiver = createReceiver({ auth, platform, delivery, log: false });
  receiver.on('handoff.requested', () => {});
  receiver.on('handoff.message', async ({ reply }) => {
    await reply('The simulator does not know this conversation, and refuses it.');
    throw new Error('the desk is closed');
  });
  await receiver.start();
  const { url, end } = await serve(receiver);
  for (const conversation_id of ['c-1', 'c-2']) {
    const user_info = { user_id: 'user-1' };
    await post(`${url}/conversation/establish`, fixtures.establish({ conversation_id, user_info }));
    await post(`${url}/chat`, fixtures.chat({ conversation_id }));
  }
  for (const queue of ['inbox', 'outbox'] as const) {
    await vi.waitFor(async () => expect((await delivery.queues?.depth(queue))?.dead).toBe(2), WAIT_OPTIONS);
  }
  await end();
  await receiver.close();
  await simulator.close();
}

/** Words of a shell's line. */
const wordsOf = (line: string): string[] =>
  Array.from(line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g), ([, one, two, three]) => one ?? two ?? three ?? '');

it('every command of the docs ends with 0, as a reader would run it', async () => {
  const { simulator, platform, settings, receiver } = await startWorld();
  const database = join(temporaryFolder(), 'handoff.db');
  await storeJobs(database);
  const dead = {
    inbox: (await deadLettersIn(database, 'inbox')).map(({ id }) => id),
    outbox: (await deadLettersIn(database, 'outbox')).map(({ id }) => id),
  };
  const doc = await documentOf(settings);
  const { url: documents } = await serve((_request, response) => response.end(FILES['shipping.csv']));

  /** The line with what exists here in place of what the docs name. */
  const actual = async (line: string): Promise<string> => {
    const jobs = line.startsWith('outbox') ? dead.outbox : dead.inbox;
    const open = /^(?:reply|close)/.test(line) ? (await simulator.requestHandoff()).id : 'c-1';
    const asks = /^(?:forget|(?:inbox|outbox) (?:retry|discard) --all)/.test(line) && !line.includes('--yes');
    return `${line}${asks ? ' --yes' : ''}`
      .replace(
        /(https?:\/\/(?:127\.0\.0\.1:3000|localhost:3000|my\.host)\/webhook|https:\/\/desk\.example\.com\/human\/service|URL)(?= |$)/,
        receiver,
      )
      .replace('https://api.example.com', platform)
      .replace('https://my.host', documents)
      .replace(/--port \d+/, '--port 0')
      .replace(/--platform-port \d+/, '--platform-port 0')
      .replace('FOLDER', 'knowledge')
      .replace('--handoff-token $TOKEN', `--handoff-token ${ENVIRONMENT.HANDOFF_TOKEN}`)
      .replace('--webhook-username acme', `--webhook-username ${ENVIRONMENT.WEBHOOK_USERNAME}`)
      .replace('sqlite:/var/lib/handoff-kit/handoff.db', 'sqlite:handoff.db')
      .replace(/sqlite:backups\/handoff\.db/, 'sqlite:handoff.db')
      .replace(/"\/backups\/[^"]+"|\bFILE$|backups\/handoff\.db/, 'copy.db')
      .replace(/65d4…/, line.startsWith('knowledge') ? doc : open)
      .replace(/\b42\b|\bID\b/, jobs[0] ?? '')
      .replace(/\b43\b/, jobs[1] ?? '')
      .replace('<id>', 'user-1');
  };

  const problems: object[] = [];
  for (const line of COMMANDS) {
    const cwd = temporaryFolder();
    // A file of --config has its own credentials.
    const own = line.includes('--config')
      ? { PORT: '0', PLATFORM_BASE_URL: platform }
      : { ...ENVIRONMENT, ...settings, RECEIVER_URL: receiver, ...(line.startsWith('adapter') && SCRIP) };
    const env = Object.entries(own).map(([name, value]) => `${name}=${value}\n`);
    const files = { ...FILES, ...filesFor(line, doc, documents), '.env': env.join('') };
    mkdirSync(join(cwd, 'knowledge'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    if (!line.startsWith('serve')) await backUpSqlite(database, join(cwd, 'handoff.db'));
    const args = wordsOf(await actual(line));
    const printed = ENDLESS.find(([pattern]) => pattern.test(line))?.[1];
    const { code, stdout, stderr } = printed
      ? await runUntil(args, printed, cwd)
      : await runCli(args, { cwd, input: inputFor(line) });
    if (code !== 0) problems.push({ line, args, code, stdout, stderr });
  }
  expect(problems).toEqual([]);
}, 600_000);

/** A document of the simulated knowledge base. */
async function documentOf({
  PLATFORM_BASE_URL: baseUrl,
  PLATFORM_API_KEY: apiKey,
}: Record<'PLATFORM_BASE_URL' | 'PLATFORM_API_KEY', string>): Promise<string> {
  const qaList = [{ question: 'How long?', answer: 'Two days.' }];
  const { doc } = await createPlatformClient({ baseUrl, apiKey }).knowledge.addQa({
    purpose: 'QA_TEXT',
    name: 'Shipping',
    qaList,
  });
  return doc[0]?.doc_id ?? '';
}

/** Lists of files, whose columns differ. */
const filesFor = (line: string, doc: string, documents: string): Record<string, string> => ({
  'files.csv': line.includes('update')
    ? `doc_id,source_url,file_name\n${doc},${documents}/manual,Manual.md\n`
    : `file_url,file_name\n${documents}/prices.csv,prices.csv\n`,
  'handoff.json': JSON.stringify({
    bots: {
      sales: { webhookUsername: 'sales', handoffToken: 'token-of-the-sales-bot', platformApiKey: API_KEY },
    },
  }),
});

/** What standard input has for a command. */
function inputFor(line: string): string {
  if (line.includes('--password-stdin')) return 'a long password of Ann';
  if (!line.endsWith(' -')) return '';
  return line.startsWith('reply') ? 'Hello' : (FILES['body.json'] ?? '');
}

/** Runs a command until it has printed something, and stops it. */
async function runUntil(args: readonly string[], printed: RegExp, cwd: string) {
  const program = startCli(args, { cwd });
  await program.until(printed).then(
    () => program.signal('SIGINT'),
    () => {},
  );
  return { code: await program.ended, stdout: program.stdout(), stderr: program.stderr() };
}
