import type { Connected } from './adapters/index.js';
import { databaseText } from './database-url.js';
import type { SettingKey, Settings } from './settings-schema.js';
import { SETTINGS } from './settings-table.js';
import { type TryOptions, tryCommands } from './try-it.js';

/** What the program tells once it listens: as data for programs and as text for people. */
export interface Welcome {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
}

const HANDOFF_ADDRESS = {
  webhook: ['', 'the same credentials as messages'],
  path: ['/<token>', 'the token is the one of HANDOFF_AUTH'],
  bearer: ['', 'Bearer: the token of HANDOFF_AUTH'],
  none: ['', 'no credentials: everybody who can reach it may send'],
} as const;

const NOT_KEPT = 'nothing is stored, and what was not handled is lost when the process ends.';

/** Says where the receiver is and what to do next; with `dev` also the made-up credentials and commands. */
export function welcome(
  options: TryOptions & { readonly dev: boolean; readonly adapter: Connected | null },
): Welcome {
  const { url, settings, generated, dev, adapter } = options;
  const { mountPath } = settings;
  const commands = dev ? tryCommands(options) : [];
  const credentials = Object.fromEntries(
    generated.map((key) => [SETTINGS[key].env, textOf(settings, key)] as const),
  );
  const text = [
    `handoff-kit listens on ${url} (Ctrl-C stops it)`,
    '',
    "For the platform's settings, with the host name under which it can reach you:",
    ...addresses(url, settings),
    humans(url, settings, adapter),
    ...(generated.length > 0 ? ['', 'Made up for this run, since they were not set:'] : []),
    ...Object.entries(credentials).map(([name, value]) => `  ${name.padEnd(16)}  ${value}`),
    ...(dev ? ['', 'Play the service from another terminal:'] : []),
    ...commands.flatMap(({ title, command }) => ['', `  # ${title}`, `  ${command}`]),
    ...(dev ? ['', 'The same event sent twice is answered twice and handled once.'] : []),
    settings.showText ? '' : 'What people write is not shown; --show-text shows it.',
    '',
  ];
  return {
    data: {
      url,
      mountPath,
      database: databaseText(settings.databaseUrl),
      adapter: adapter && { name: adapter.name, url: `${url}${adapter.path}` },
      ...(adapter?.oneTimePath && { desk: `${url}${adapter.path}${adapter.oneTimePath}` }),
      ...(dev && { credentials, commands }),
    },
    text: text.filter((line, index) => line !== '' || text[index - 1] !== '').join('\n'),
  };
}

function humans(url: string, { serviceBaseUrl, databaseUrl }: Settings, adapter: Connected | null): string {
  if (!adapter && serviceBaseUrl === undefined) {
    return 'Humans: off. Once replies are on, ADAPTER says where they answer: desk, request-tracker, chatwoot or slack.';
  }
  if (!adapter)
    return 'Humans: off. ADAPTER says where they answer: desk, request-tracker, chatwoot or slack.';
  const { name, path, oneTimePath, hasWebhooks } = adapter;
  const address = `${url}${path}`;
  if (name !== 'desk' && hasWebhooks) return `Humans: ${name}; its webhooks go to ${address}`;
  if (name !== 'desk') return `Humans: ${name}, which is asked again and again for what agents wrote`;
  if (oneTimePath) return `Humans: the desk; this link lets you in once: ${address}${oneTimePath}`;
  if (databaseUrl.kind === 'none')
    return `Humans: the desk at ${address}; nobody can log in, since agents are kept in the database: set DATABASE_URL`;
  return `Humans: the desk at ${address}; handoff-kit desk add-agent makes an agent who can log in`;
}

function addresses(
  url: string,
  { mountPath, webhookSecret, handoffAuth, serviceBaseUrl, databaseUrl }: Settings,
): string[] {
  const [segment, who] = HANDOFF_ADDRESS[handoffAuth.kind];
  const handoffs = `${url}${mountPath}`.replace(/\/$/, '') + segment;
  const credentials = webhookSecret === undefined ? 'Bearer: the username' : 'Basic: username and secret';
  return [
    `  messages  ${(url + mountPath).padEnd(handoffs.length)}  ${credentials}`,
    `  handoffs  ${handoffs.padEnd((url + mountPath).length)}  ${who}`,
    '',
    `Replies: ${serviceBaseUrl ?? 'off. Set SERVICE_BASE_URL and SERVICE_API_KEY to answer users.'}`,
    `Kept in: ${databaseUrl.kind === 'none' ? NOT_KEPT : databaseText(databaseUrl)}`,
    `Health: ${url}/healthz and ${url}/readyz, metrics: ${url}/metrics`,
  ];
}

/** A made-up setting as one would write it into the environment. */
function textOf({ handoffAuth, webhookUsername, webhookSecret }: Settings, key: SettingKey): string {
  if (key === 'webhookUsername') return webhookUsername;
  if (key === 'webhookSecret') return webhookSecret ?? '';
  return 'token' in handoffAuth ? `${handoffAuth.kind}:${handoffAuth.token}` : handoffAuth.kind;
}
