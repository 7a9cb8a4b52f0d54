import cluster from 'node:cluster';
import type { Command } from 'commander';
import { loadProgram, SETTING_GROUPS, type ServeProcess, SettingsError } from '../../standalone/index.js';
import { ENV_FILE, variablesOfEnvFile } from '../env-file.js';
import { settingOption } from '../flags.js';
import { exitCodeOf, outputFor, printFailure } from '../output.js';

interface ServeFlags {
  readonly config?: string;
  readonly dev?: boolean;
  readonly watch?: boolean;
  readonly json?: boolean;
  /** The settings. */
  readonly [key: string]: string | boolean | undefined;
}

/** What the command uses of its process. */
export interface CommandProcess extends ServeProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  exitCode?: number | string | null | undefined;
}

const MORE_HELP = `
Settings:
  Each setting is a flag, a variable of the environment or of the file .env in this folder (the name in brackets), or a
  key of the JSON file that --config names, written as PORT or as port. Flags override the environment, the environment
  overrides .env, and .env overrides the file of --config. Other users of a machine can see command lines: give secrets
  in the environment or in a file.

  With --watch the program starts again when .env or the file of --config changes. The new process listens before the
  old one stops and finishes what it handles; settings that are wrong leave the old one running.

  Known platforms send handoff requests without credentials. HANDOFF_AUTH says how to know them all the same:
    path     HANDOFF_TOKEN as a segment of the path: <MOUNT_PATH>/<token>/chat; the default where there is a token
    bearer   HANDOFF_TOKEN as Authorization: Bearer <token>
    webhook  the same username and secret as messages
    none     no authentication; only behind a network that keeps strangers out

  DATABASE_URL stores events and replies, so that nothing is lost after it was answered 200:
    sqlite:<file>   a file on this machine; default sqlite:./handoff.db. To look into it: handoff-kit inbox --help
    postgres://…    a PostgreSQL database that several machines share
    none            nothing is stored: events are handled while the platform waits

  ADAPTER chooses where agents answer handed-over conversations:
    desk             in the browser, at /desk of this program. To add agents: handoff-kit desk add-agent
    request-tracker  tickets of Request Tracker 5. Its Scrip: handoff-kit adapter scrip
    chatwoot         an API inbox of Chatwoot; its webhooks go to /adapters/chatwoot
    slack            threads of a Slack channel; its events go to /adapters/slack
    lark             threads of a Lark or Feishu group chat; its events go to /adapters/lark
    email            threads of mails to a team's inbox, by SMTP and IMAP
    intercom         conversations of an Intercom workspace; its webhooks go to /adapters/intercom
    zendesk          messaging conversations in Zendesk's Agent Workspace; its webhooks go to /adapters/zendesk
    livechat         chats of LiveChat; its webhooks go to /adapters/livechat
    zoho-salesiq     conversations of Zoho SalesIQ; its webhooks go to /adapters/zoho-salesiq
    none             no agents: handoff requests are answered 503, unless AUTO_REPLY answers
  The default is the desk when PLATFORM_BASE_URL and DATABASE_URL let agents answer and AUTO_REPLY is not set.
  BOT_ADAPTERS sends the handoffs of some bots to other helpdesks, by the bot_id of the request: 65d4a1=slack, 65d4a2=desk.
  ADAPTER takes all others; with ADAPTER=none they are answered 503.
  handoff-kit adapter check tests the connection to a helpdesk; the program tests it at the start, too.

  TRUST_PROXY is for the desk behind a proxy that terminates HTTPS: with it, cookies are for HTTPS only, and the limit
  on password attempts counts by the address of the browser. Behind one proxy it is 1. With true every client is
  trusted: use it only if no client can bypass the proxy.

  Several bots: the file of --config may have "bots", each with its own webhookUsername, webhookSecret, handoffToken,
  handoffAuth, platformBaseUrl and platformApiKey: { "bots": { "sales": { "webhookUsername": … }, "support": … } }.
  Requests are told apart by their credentials, or by the name in their path: <MOUNT_PATH>/sales/chat and so on.

Other paths, without authentication and without personal data:
  GET /healthz  200 while the process runs
  GET /readyz   200, or 503 with the reason as JSON during shutdown and while the database is unreachable
  GET /metrics  counters, queue depths and durations for Prometheus

Examples:
  Try it out, with generated credentials and commands to paste:
    $ handoff-kit serve --dev

  Handoff requests come with a token in their path, and every user gets a first reply:
    $ export WEBHOOK_USERNAME=acme WEBHOOK_SECRET=… HANDOFF_TOKEN=$(openssl rand -hex 24)
    $ export PLATFORM_BASE_URL=https://api.example.com PLATFORM_API_KEY=…
    $ handoff-kit serve --greeting 'Hello, one moment please.'

  Agents answer in Slack:
    $ export ADAPTER=slack SLACK_BOT_TOKEN=… SLACK_SIGNING_SECRET=… SLACK_CHANNEL=C0123456789
    $ handoff-kit adapter check && handoff-kit serve

  From a file:
    $ handoff-kit serve --config handoff.json

Exit codes:
  0  stopped by SIGTERM or SIGINT, and every running handler finished
  1  could not listen or open the database, stopped with handlers unfinished, or failed
  2  a setting is missing or wrong, or the package that DATABASE_URL needs is not installed`;

const HINT = `
Each can be a flag, a variable of the environment or of the file .env, or a key of the file that --config names.
All settings: handoff-kit serve --help. Without any settings: handoff-kit serve --dev`;

/** `serve`: the receiver as a program. */
export function define(command: Command, host: CommandProcess = process): void {
  command
    .description('Receives the webhooks of the platform and prints each event until it is stopped.')
    .option('--dev', 'for development: generates credentials, listens on this machine only, prints commands')
    .option('--config <file>', 'a JSON file with settings')
    .option('--watch', 'restart when .env or the file of --config changes')
    .option('--json', 'one JSON object per line for programs, instead of text for people');
  for (const { title, settings } of SETTING_GROUPS) {
    for (const setting of settings) command.addOption(settingOption(setting).helpGroup(`${title}:`));
  }
  command.addHelpText('after', MORE_HELP).action((flags: ServeFlags) => run(flags, host));
}

async function run({ config, dev, json, watch, ...flags }: ServeFlags, host: CommandProcess): Promise<void> {
  const { env } = host;
  const output = outputFor({ json }, host.stdout, env);
  if (watch && cluster.isPrimary) {
    const { serveAndWatch } = await import('../watch.js');
    host.exitCode = await serveAndWatch(config === undefined ? [ENV_FILE] : [ENV_FILE, config]);
    return;
  }
  try {
    const { serve } = await loadProgram();
    host.exitCode = await serve(
      {
        flags: asText(flags),
        env,
        fromEnvFile: variablesOfEnvFile,
        configFile: config,
        dev,
        devSeed: env.HANDOFF_KIT_DEV_SEED,
      },
      output,
      host,
    );
  } catch (error) {
    printFailure(error, output, host.stderr);
    if (error instanceof SettingsError && !output.json) host.stderr.write(`${HINT}\n`);
    host.exitCode = exitCodeOf(error);
  }
}

const asText = (flags: Readonly<Record<string, string | boolean | undefined>>) =>
  Object.fromEntries(Object.entries(flags).map(([key, value]) => [key, String(value)]));
