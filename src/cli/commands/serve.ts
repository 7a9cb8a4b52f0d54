import { type Command, Option } from 'commander';
import {
  loadProgram,
  SETTING_GROUPS,
  SETTINGS,
  type SettingKey,
  SettingsError,
} from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import { outputFor, printFailure } from '../output.js';

type ServeFlags = Readonly<Partial<Record<SettingKey, string | boolean>>> & {
  readonly config?: string;
  readonly dev?: boolean;
  readonly json?: boolean;
};

const MORE_HELP = `
Settings:
  Each setting is a flag, a variable of the environment (the name in brackets), or a key of the JSON file that
  --config names, written as PORT or as port. Flags count before the environment, and that before the file.
  Other users of a machine can see command lines: give secrets in the environment or in the file.

  HANDOFF_AUTH has no default, since known deployments send handoff requests without credentials:
    webhook         the same username and secret as messages
    path:<token>    an unguessable segment of the path: <MOUNT_PATH>/<token>/chat and so on
    bearer:<token>  Authorization: Bearer <token>
    none            everybody, where something else keeps strangers out

  DATABASE_URL says where events and replies are kept, so that nothing is lost after it was answered 200:
    sqlite:<file>   a file of this machine; default sqlite:./handoff.db. Look into it: handoff-kit inbox --help
    postgres://…    a PostgreSQL database that several machines share
    none            nothing is stored: events are handled while the service waits

  ADAPTER says where humans answer the conversations that are handed over:
    desk             in the browser, at /desk of this program. Who may: handoff-kit desk add-agent
    request-tracker  tickets of Request Tracker 5. What it must run to tell us: handoff-kit adapter scrip
    chatwoot         an API inbox of Chatwoot; its webhooks go to /adapters/chatwoot
    slack            threads of a Slack channel; its events go to /adapters/slack
    none             nobody: events are printed, and AUTO_REPLY may answer
  It is the desk where SERVICE_BASE_URL and DATABASE_URL let agents answer and AUTO_REPLY does not.
  Whether a system is reachable and set up: handoff-kit adapter check. It is looked at when the program starts, too.

  TRUST_PROXY tells the desk who is behind a proxy that speaks HTTPS for it: then cookies are for HTTPS only, and
  whoever guesses passwords is slowed down by the right address. Behind one proxy it is 1. With true whoever connects is
  believed: only where nobody but the proxy can.

Also answered, to everybody who can reach the port and without anything of a person in it:
  GET /healthz  200 while the process lives
  GET /readyz   200, or 503 while it stops or cannot reach the database, with the reason as JSON
  GET /metrics  counts, depths, ages and lag for Prometheus

Examples:
  Try it out, with made-up credentials and commands to paste:
    $ handoff-kit serve --dev

  Handoff requests come with a token in their path, and every user gets a first reply:
    $ export WEBHOOK_USERNAME=acme WEBHOOK_SECRET=… HANDOFF_AUTH=path:$(openssl rand -hex 24)
    $ export SERVICE_BASE_URL=https://api.example.com SERVICE_API_KEY=…
    $ handoff-kit serve --greeting 'Hello, one moment please.'

  Humans answer in Slack:
    $ export ADAPTER=slack SLACK_BOT_TOKEN=… SLACK_SIGNING_SECRET=… SLACK_CHANNEL=C0123456789
    $ handoff-kit adapter check && handoff-kit serve

  From a file:
    $ handoff-kit serve --config handoff.json

Exit codes:
  0  stopped by SIGTERM or SIGINT, and everything that ran could finish
  1  could not listen or open the database, stopped with handlers unfinished, or failed
  2  a setting is missing or wrong`;

const HINT = `
Each can be a flag, a variable of the environment, or a key of the file that --config names.
All settings: handoff-kit serve --help. To try it out without any: handoff-kit serve --dev`;

/** `serve`: the receiver as a program. */
export function define(command: Command): void {
  command
    .description('Receives everything the service sends and prints each event, until it is stopped.')
    .option('--dev', 'for trying it out: makes up credentials, listens on this machine only, shows commands')
    .option('--config <file>', 'a JSON file with settings')
    .option('--json', 'one JSON object a line; the default where the output is no terminal')
    .option('--no-json', 'text for people, wherever the output goes');
  for (const { title, keys } of SETTING_GROUPS) {
    for (const key of keys) {
      const { flag, env, help } = SETTINGS[key];
      command.addOption(new Option(flag, `[${env}] ${help}`).helpGroup(`${title}:`));
    }
  }
  command.addHelpText('after', MORE_HELP).action(run);
}

async function run({ config, dev, json, ...flags }: ServeFlags): Promise<void> {
  const output = outputFor({ json });
  // Whoever starts it in a container reads why it did not start; only who asks for JSON gets it here, too.
  const failure = { json: json === true };
  try {
    const { serve } = await loadProgram();
    process.exitCode = await serve(
      { flags: asText(flags), env: process.env, configFile: config, dev },
      output,
    );
  } catch (error) {
    printFailure(error, failure);
    const isSettings = error instanceof SettingsError;
    if (isSettings && !failure.json) process.stderr.write(`${HINT}\n`);
    process.exitCode = isSettings ? EXIT.wrongUse : EXIT.no;
  }
}

const asText = (flags: Readonly<Partial<Record<SettingKey, string | boolean>>>) =>
  Object.fromEntries(Object.entries(flags).map(([key, value]) => [key, String(value)]));
