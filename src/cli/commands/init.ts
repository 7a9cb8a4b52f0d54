import { relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { type Command, Option } from 'commander';
import { generateAdapterProject } from '../init/adapter-project.js';
import {
  ADAPTER_PROJECTS,
  type AdapterAnswers,
  type Answers,
  type Choice,
  conflictOf,
  QUESTIONS,
  type Question,
} from '../init/choices.js';
import { generateProject } from '../init/generate.js';
import type { Terminal } from '../input.js';
import {
  addOutputFlags,
  EXIT,
  type Output,
  type OutputFlags,
  print,
  runCommand,
  UsageError,
} from '../output.js';

type InitFlags = Partial<Omit<Answers, 'adapter'>> &
  OutputFlags & {
    readonly adapter?: Answers['adapter'] | AdapterAnswers['adapter'];
    readonly yes?: boolean;
  };

const MORE_HELP = `
In a terminal it asks for what the flags do not say; elsewhere, and with --yes, the first choice that goes with the
others is taken. The project has tests with vitest, a linter, a Dockerfile, a workflow for GitHub, and a file .env with
generated secrets with which it runs against the simulator: at once without a helpdesk, and with Slack or Chatwoot after
you fill in their settings. npm create handoff-kit is the same command.

--adapter without a name writes a project for an adapter of your own instead, the smallest one; --adapter full one with
everything that the bridge can use. Its tests are the conformance kit, against a made-up helpdesk.

Examples:
  $ handoff-kit init my-receiver
  $ handoff-kit init my-receiver --host fastify --delivery postgres --adapter slack
  $ handoff-kit init my-receiver --language js --yes
  $ handoff-kit init our-desk-adapter --adapter

Exit codes: 0 written, 2 wrong use, such as a folder that is not empty: nothing was written`;

const TEXTS: Readonly<Record<Question, { readonly flag: string; readonly question: string }>> = {
  language: { flag: '--language <name>', question: 'Which language?' },
  host: { flag: '--host <name>', question: 'Which server?' },
  delivery: { flag: '--delivery <name>', question: 'Where are events kept until they are handled?' },
  adapter: { flag: '--adapter [name]', question: 'Who answers users that are handed over?' },
};

const names = (question: Question): string[] => QUESTIONS[question].map(({ name }) => name);
const isQuestion = (text: string): text is Question => text in QUESTIONS;
const ALL = Object.keys(QUESTIONS).filter(isQuestion);

const [SMALLEST] = ADAPTER_PROJECTS;

function optionFor(question: Question): Option {
  const choices = names(question);
  const text = `${choices.join(', ')}; default ${choices[0]}`;
  if (question !== 'adapter') return new Option(TEXTS[question].flag, text).choices(choices);
  const own = ADAPTER_PROJECTS.map(({ name }) => name);
  return new Option(TEXTS.adapter.flag, `${text}; or your own: ${own.join(', ')}`)
    .choices([...choices, ...own])
    .preset(SMALLEST.name);
}

/** `init`: writes a new project with a receiver, or with an adapter. */
export function define(command: Command): void {
  command
    .description('Writes a new project with a receiver, or with an adapter, in TypeScript or JavaScript.')
    .argument('[folder]', 'a new or empty folder; default my-receiver, or my-adapter');
  for (const question of ALL) command.addOption(optionFor(question));
  command.option('-y, --yes', 'ask nothing: take the first choice where no flag says another');
  addOutputFlags(command)
    .addHelpText('after', MORE_HELP)
    .action((folder: string | undefined, flags: InitFlags) =>
      runCommand(flags, (output) => init(folder, flags, output)),
    );
}

async function init(given: string | undefined, flags: InitFlags, output: Output): Promise<number> {
  const { adapter, ...others } = flags;
  const terminal = { input: process.stdin, output: process.stderr };
  const asks = process.stdin.isTTY && process.stderr.isTTY && !output.json && !flags.yes;
  const answersFor = (some: Partial<Answers>, questions = ALL): Promise<Answers> =>
    asks ? ask(some, terminal, questions) : defaults(some, questions);

  if (adapter === 'minimal' || adapter === 'full') {
    if (others.host || others.delivery)
      throw new UsageError('a project for an adapter has no server: leave out --host and --delivery.');
    const { language } = await answersFor(others, ['language']);
    const folder = given ?? 'my-adapter';
    const answers = { language, adapter };
    return report(output, folder, answers, generateAdapterProject(folder, answers), ADAPTER_STEPS);
  }
  const folder = given ?? 'my-receiver';
  const answers = await answersFor({ ...others, ...(adapter && { adapter }) });
  const steps = [
    ...INSTALL,
    ...(await helpdeskSteps(answers.adapter)),
    ...RUN,
    ...(answers.adapter === 'desk' ? ADD_AGENT : []),
  ];
  return report(output, folder, answers, generateProject(folder, answers), steps);
}

function report(
  output: Output,
  folder: string,
  answers: Answers | AdapterAnswers,
  files: readonly string[],
  next: readonly string[],
): number {
  const path = relative(process.cwd(), resolve(folder)) || '.';
  const steps = [`cd ${/^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`, ...next];
  const text = [
    `Wrote ${files.length} files to ${folder} (${Object.values(answers).join(', ')}). Next:`,
    '',
    ...steps.map((step) => `  ${step}`),
  ].join('\n');
  print(output, { folder: resolve(folder), ...answers, files, next: steps }, text);
  return EXIT.ok;
}

const ADAPTER_STEPS = ['npm install', 'npm test        # the conformance kit, against a made-up helpdesk'];

const INSTALL = ['npm install', 'npm test'];

/** A helpdesk has settings that only the user knows. */
async function helpdeskSteps(adapter: Answers['adapter']): Promise<string[]> {
  if (adapter !== 'slack' && adapter !== 'chatwoot') return [];
  const { ADAPTERS, settingsOf } = await import('../../standalone/index.js');
  const required = settingsOf(ADAPTERS[adapter].schema).flatMap(({ env, isRequired }) =>
    isRequired ? [env] : [],
  );
  return [`npx handoff-kit adapter check   # after you fill in, in .env: ${required.join(', ')}`];
}

const RUN = [
  'npm run dev        # the receiver, with the settings of .env',
  'npm run simulate   # in a second terminal: a simulated platform, in the browser',
];

const ADD_AGENT = ['npm run add-agent -- ann   # an agent, who answers at /desk'];

/** The choices that go with the answers so far. */
const choicesFor = (question: Question, given: Partial<Answers>): readonly Choice[] =>
  QUESTIONS[question].filter(({ name }) => conflictOf({ ...given, [question]: name }) === null);

/** The answers among the flags. */
function answersOf({ language, host, delivery, adapter }: Partial<Answers>): Partial<Answers> {
  return {
    ...(language && { language }),
    ...(host && { host }),
    ...(delivery && { delivery }),
    ...(adapter && { adapter }),
  };
}

/** Answers each open question with one of the choices that go with the answers so far. */
async function complete(
  flags: Partial<Answers>,
  questions: readonly Question[],
  answer: (question: Question, choices: readonly Choice[]) => Promise<string | undefined>,
): Promise<Answers> {
  let answers = answersOf(flags);
  for (const question of questions) {
    if (answers[question] !== undefined) continue;
    const [first, ...others] = choicesFor(question, answers);
    const name = first && others.length > 0 ? await answer(question, [first, ...others]) : first?.name;
    answers = { ...answers, ...(name && { [question]: name }) };
  }
  const conflict = conflictOf(answers);
  if (conflict !== null) throw new UsageError(conflict);
  const { language = 'ts', host = 'express', delivery = 'sqlite', adapter = 'none' } = answers;
  return { language, host, delivery, adapter };
}

/** The answers of the flags, and the first possible choice for the others. */
const defaults = (flags: Partial<Answers>, questions: readonly Question[]): Promise<Answers> =>
  complete(flags, questions, async (_question, [first]) => first?.name);

/** Asks for the answers that the flags do not have. */
export async function ask(
  flags: Partial<Answers>,
  { input, output }: Terminal,
  questions: readonly Question[] = ALL,
): Promise<Answers> {
  const reader = createInterface({ input, output });
  try {
    return await complete(flags, questions, (question, choices) => {
      const list = choices.map(({ name, title }, index) => `  ${index + 1}) ${name.padEnd(9)} ${title}`);
      output.write(`${TEXTS[question].question}\n${list.join('\n')}\n`);
      return choose(
        choices,
        () => reader.question('Number or name [1]: '),
        (reason) => output.write(`${reason}\n`),
      );
    });
  } catch (error) {
    // Ctrl-C or Ctrl-D.
    if (error instanceof Error && error.name === 'AbortError') throw new UsageError('nothing was written.');
    throw error;
  } finally {
    reader.close();
  }
}

async function choose(
  choices: readonly Choice[],
  read: () => Promise<string>,
  refuse: (reason: string) => void,
): Promise<string> {
  for (;;) {
    const text = (await read()).trim().toLowerCase() || '1';
    const chosen = choices.find(({ name }, index) => text === name || text === String(index + 1));
    if (chosen) return chosen.name;
    refuse(`${text} is not one of the choices.`);
  }
}
