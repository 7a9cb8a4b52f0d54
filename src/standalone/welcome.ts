import { DEFAULT_BOT } from '../events/index.js';
import type { ConnectedAdapter } from './connect-adapter.js';
import { describeDatabase, parseDatabaseUrl } from './database.js';
import { ADAPTER_NAMES } from './settings/adapter-settings.js';
import type { BotSettings } from './settings/bot-settings.js';
import type { SettingTexts } from './settings/setting.js';
import { DEFAULT_DATABASE_URL } from './settings/setting-forms.js';
import { chooseAdapter, type Settings } from './settings/settings-schema.js';

/** The first output after the start: `data` for programs, `text` for people. */
export interface Welcome {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const HANDOFF_ADDRESS = {
  webhook: ['', 'the same credentials as messages'],
  path: ['/<token>', 'the token is HANDOFF_TOKEN'],
  bearer: ['', 'Bearer: HANDOFF_TOKEN'],
  none: ['', 'no credentials: any sender that can reach it is accepted'],
} as const;

const NOT_STORED = 'off. Unhandled events are lost when the process ends; DATABASE_URL turns it on.';

/** The running program. */
export interface WelcomeOptions extends CommandOptions {
  readonly bots: BotSettings;
  readonly dev: boolean;
  readonly adapters: readonly ConnectedAdapter[];
  /** Why the default database could not be opened, and how it could be. */
  readonly storageAdvice?: string | null;
}

/** Describes the URLs and the next steps; with `dev` also the generated credentials and commands to paste. */
export function welcome(options: WelcomeOptions): Welcome {
  const { url, settings, bots, generated: credentials, dev, adapters } = options;
  const [adapter = null] = adapters;
  const { mountPath } = settings;
  const isSeveral = !bots.has(DEFAULT_BOT) || bots.size > 1;
  // With several bots, the commands would have to name each one's credentials.
  const commands = dev && !isSeveral ? commandsToPaste(options) : [];
  const text = [
    `handoff-kit listens on ${url} (Ctrl-C stops it)`,
    '',
    "For the platform's settings, with a host name that the platform can reach:",
    ...(isSeveral ? botAddresses(options) : addresses(options)),
    ...(adapters.length === 0 ? [noAgentsLine(options)] : adapters.map((each) => agentsLine(options, each))),
    ...(Object.keys(credentials).length > 0 ? ['', 'Generated for this run, since they were not set:'] : []),
    ...Object.entries(credentials).map(([name, value]) => `  ${name.padEnd(16)}  ${value}`),
    ...(commands.length > 0 ? ['', `Play the platform from another terminal${conditionOf(commands)}:`] : []),
    ...commands.flatMap(({ title, command }) => ['', `  # ${title}`, `  ${command}`]),
    ...(commands.length > 0 ? ['', 'Each is a new event whenever it is pasted.'] : []),
    settings.showText ? '' : 'The text of messages is hidden; --show-text shows it.',
    '',
  ];
  return {
    data: {
      url,
      mountPath,
      ...(isSeveral && { bots: [...bots.keys()] }),
      database: describeDatabase(settings.databaseUrl),
      adapter: adapter && { name: adapter.name, url: `${url}${adapter.path}` },
      ...(adapters.length > 1 && {
        adapters: adapters.map(({ name, path }) => ({ name, url: `${url}${path}` })),
      }),
      ...(adapter?.oneTimePaths[0] && { desk: `${url}${adapter.path}${adapter.oneTimePaths[0]}` }),
      ...(dev && { credentials, commands }),
    },
    text: text.filter((line, index) => line !== '' || text[index - 1] !== '').join('\n'),
  };
}

function noAgentsLine({ settings, dev, storageAdvice }: WelcomeOptions): string {
  const { platformBaseUrl, autoReply } = settings;
  if (
    storageAdvice &&
    chooseAdapter({ ...settings, databaseUrl: parseDatabaseUrl(DEFAULT_DATABASE_URL) }) === 'desk'
  ) {
    return `Agents: off, since the desk needs a database, and ${storageAdvice}`;
  }
  const meanwhile =
    dev || autoReply !== undefined ? 'off.' : 'off: handoff requests are answered 503 until there are some.';
  const chooses = platformBaseUrl === undefined ? 'With replies on, ADAPTER chooses' : 'ADAPTER chooses';
  return `Agents: ${meanwhile} ${chooses} where they answer: desk, ${ADAPTER_NAMES.join(', ')}.`;
}

function agentsLine({ url, settings: { databaseUrl } }: WelcomeOptions, adapter: ConnectedAdapter): string {
  const { name, path, oneTimePaths, hasWebhooks } = adapter;
  const [oneTimePath] = oneTimePaths;
  const address = `${url}${path}`;
  if (name !== 'desk' && hasWebhooks) return `Agents: ${name}; its webhooks go to ${address}`;
  if (name !== 'desk') return `Agents: ${name}, which is polled for replies`;
  if (oneTimePath) return `Agents: the desk; this link logs you in once: ${address}${oneTimePath}`;
  if (databaseUrl.kind === 'none') {
    return `Agents: the desk at ${address}; agents cannot log in without a database: set DATABASE_URL`;
  }
  return `Agents: the desk at ${address}; handoff-kit desk add-agent adds an agent`;
}

const NO_REPLIES = 'off. Set PLATFORM_BASE_URL and PLATFORM_API_KEY to answer users.';

const SIMULATE = 'Without a platform: handoff-kit simulate plays it, see handoff-kit simulate --help';

const addresses = (options: WelcomeOptions): string[] => {
  const { url, settings, dev } = options;
  const { mountPath, platformBaseUrl } = settings;
  return [
    ...webhookAddresses(`${url}${mountPath}`, settings),
    '',
    `Replies: ${platformBaseUrl ?? NO_REPLIES}`,
    ...(dev && platformBaseUrl === undefined ? [`  ${SIMULATE}`] : []),
    ...commonAddresses(options),
  ];
};

/** Each bot has its name in its addresses, which work whatever its credentials are. */
const botAddresses = (options: WelcomeOptions): string[] => [
  ...[...options.bots].flatMap(([name, own]) => [
    `  the bot ${name}`,
    ...webhookAddresses(`${options.url}${options.settings.mountPath.replace(/\/$/, '')}/${name}`, own),
    `  replies   ${own.platformBaseUrl ?? NO_REPLIES}`,
  ]),
  '',
  ...commonAddresses(options),
];

function webhookAddresses(messages: string, { webhookSecret, handoffAuth }: Settings): string[] {
  const [segment, authentication] = HANDOFF_ADDRESS[handoffAuth];
  const handoffs = messages.replace(/\/$/, '') + segment;
  const credentials = webhookSecret === undefined ? 'Bearer: the username' : 'Basic: username and secret';
  return [
    `  messages  ${messages.padEnd(handoffs.length)}  ${credentials}`,
    `  handoffs  ${handoffs.padEnd(messages.length)}  ${authentication}`,
  ];
}

function commonAddresses({ url, settings: { databaseUrl }, storageAdvice }: WelcomeOptions): string[] {
  const off = storageAdvice ? `off: ${storageAdvice}` : NOT_STORED;
  return [
    `Storage: ${databaseUrl.kind === 'none' ? off : describeDatabase(databaseUrl)}`,
    `Health: ${url}/healthz and ${url}/readyz, metrics: ${url}/metrics`,
  ];
}

/** A command that plays the platform. */
export interface PastedCommand {
  readonly title: string;
  /** One line for a shell. */
  readonly command: string;
}

/** The receiver that the commands call. */
export interface CommandOptions {
  readonly url: string;
  readonly settings: Settings;
  /** Generated credentials, which may be shown, by their settings. */
  readonly generated: SettingTexts;
  /** The settings of the file `.env`, which a shell does not know and `handoff-kit send` reads. */
  readonly inEnvFile: ReadonlySet<string>;
}

const CREDENTIALS = ['WEBHOOK_USERNAME', 'WEBHOOK_SECRET', 'HANDOFF_TOKEN'] as const;

/** One command for each kind of event, and one for an availability test. */
export function commandsToPaste(options: CommandOptions): PastedCommand[] {
  const isInFile = CREDENTIALS.some((env) => options.inEnvFile.has(env));
  return isInFile ? sendCommands(options) : curlCommands(options);
}

/** What the other terminal needs for the commands: the folder of `.env`, and the variables that they name. */
function conditionOf(commands: readonly PastedCommand[]): string {
  const text = commands.map(({ command }) => command).join(' ');
  const names = CREDENTIALS.filter((env) => text.includes(`"$${env}"`));
  const folder = text.includes('handoff-kit send') ? ', in this folder' : '';
  return names.length > 0 ? `${folder}, with ${names.join(' and ')} set as here` : folder;
}

function sendCommands({ url, settings, generated, inEnvFile }: CommandOptions): PastedCommand[] {
  const { mountPath, handoffAuth } = settings;
  const flag = (env: (typeof CREDENTIALS)[number]): string[] => {
    const isUsed = env !== 'WEBHOOK_SECRET' || settings.webhookSecret !== undefined;
    if (!isUsed || inEnvFile.has(env)) return [];
    return [`--${env.toLowerCase().replace('_', '-')} ${shown(env, generated)}`];
  };
  const ofMessages = [...flag('WEBHOOK_USERNAME'), ...flag('WEBHOOK_SECRET')];
  const ofHandoffs = {
    path: flag('HANDOFF_TOKEN'),
    bearer: ['--handoff-auth bearer', ...flag('HANDOFF_TOKEN')],
    webhook: ['--handoff-auth webhook', ...ofMessages],
    none: ['--handoff-auth none'],
  }[handoffAuth];
  const send = (kind: string, flags: readonly string[], more = ''): string =>
    [`npx handoff-kit send ${kind} --receiver-url ${quoted(`${url}${mountPath}`)}`, ...flags]
      .concat(more ? [more] : [])
      .join(' ');
  const conversation = '--conversation send-1';
  return [
    { title: TITLES.message, command: send('message', ofMessages, "--text 'Your parcel is on its way.'") },
    { title: TITLES.establish, command: send('establish', ofHandoffs, `${conversation} --user user-1`) },
    { title: TITLES.chat, command: send('chat', ofHandoffs, `${conversation} --text 'Where is my parcel?'`) },
    { title: TITLES.close, command: send('close', ofHandoffs, conversation) },
    { title: TITLES.probe, command: send('probe', ofMessages) },
  ];
}

const TITLES = {
  message: "a bot's answer",
  establish: 'a user is handed over to a human',
  chat: 'the user writes',
  close: 'the user leaves',
  probe: 'an availability test',
} as const;

function curlCommands(options: CommandOptions): PastedCommand[] {
  const message = messageTarget(options);
  const handoff = handoffTarget(options, message);
  const conversation_id = 'handoff-1';
  return [
    {
      title: TITLES.message,
      command: curl(message, '', {
        conversation_id: 'conversation-1',
        message_id: `message-${NOW}`,
        user_id: 'user-1',
        create_time: 1_742_265_090,
        output: [{ content: { text: 'Your parcel is on its way.' } }],
      }),
    },
    {
      title: TITLES.establish,
      command: curl(handoff, '/conversation/establish', {
        conversation_id,
        timestamp: NOW_MS,
        body: [{ text: 'I want to talk to a human.', message_type: 'QUESTION' }],
        user_info: { user_id: 'user-1' },
      }),
    },
    {
      title: TITLES.chat,
      command: curl(handoff, '/chat', { conversation_id, body: 'Where is my parcel?' }),
    },
    {
      title: TITLES.close,
      command: curl(handoff, '/conversation/close', {
        conversation_id,
        timestamp: NOW_MS,
        type: 'USER_CLOSED',
      }),
    },
    { title: TITLES.probe, command: curl(message, '', { istest: true }) },
  ];
}

/** Stand in a body for the time at which the command is pasted, so that it is a new event each time. */
const NOW = '<now>';
const NOW_MS = '<now in milliseconds>';

/** The body for a shell, which puts the time in. Every `date` knows `%s`. */
const bodyOf = (body: object): string =>
  quoted(JSON.stringify(body)).replaceAll(`"${NOW_MS}"`, `'$(date +%s)000'`).replaceAll(NOW, `'$(date +%s)'`);

/** URL and credentials of a command, quoted for a shell. */
interface CurlTarget {
  readonly url: (path: string) => string;
  readonly credentials: string;
}

const curl = ({ url, credentials }: CurlTarget, path: string, body: object): string =>
  ['curl', url(path), ...(credentials ? [credentials] : [])]
    .concat("-H 'content-type: application/json'", '-d', bodyOf(body))
    .join(' ');

/** Words without special characters need no quotes in any shell. */
const quoted = (text: string): string =>
  /^[\w.:/@-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Generated credentials are shown; the user's own become shell variables, so that they are never printed. */
const shown = (env: string, { [env]: text }: SettingTexts): string =>
  text === undefined ? `"$${env}"` : quoted(text);

function messageTarget({ url, settings, generated }: CommandOptions): CurlTarget {
  const { mountPath, webhookSecret } = settings;
  const username = shown('WEBHOOK_USERNAME', generated);
  const credentials =
    webhookSecret === undefined
      ? `-H 'authorization: Bearer '${username}`
      : `-u ${username}:${shown('WEBHOOK_SECRET', generated)}`;
  return { url: (path) => quoted(`${url}${mountPath}${path}`), credentials };
}

function handoffTarget({ url, settings, generated }: CommandOptions, message: CurlTarget): CurlTarget {
  const { handoffAuth, mountPath } = settings;
  const base = `${url}${mountPath === '/' ? '' : mountPath}`;
  const token = shown('HANDOFF_TOKEN', generated);
  if (handoffAuth === 'path') {
    return { url: (path) => `${quoted(`${base}/`)}${token}${quoted(path)}`, credentials: '' };
  }
  const credentials = {
    webhook: message.credentials,
    bearer: `-H 'authorization: Bearer '${token}`,
    none: '',
  };
  return { url: (path) => quoted(`${base}${path}`), credentials: credentials[handoffAuth] };
}
