import { BEARER_TOKEN, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY } from '../helpers/fake-service.js';
import { type RunningProgram, runNode } from '../standalone/program.js';

/** An example that runs as a process of its own. */
export interface RunningExample extends RunningProgram {
  readonly url: string;
}

/** The settings that examples ask for. */
const SETTINGS = {
  PORT: '0',
  WEBHOOK_USERNAME: USERNAME,
  WEBHOOK_SECRET: SECRET,
  HANDOFF_TOKEN: PATH_TOKEN,
  SERVICE_API_KEY: API_KEY,
} as const;

/** Credentials that nobody has been given. */
export const WRONG = { authorization: `Bearer ${BEARER_TOKEN}` };

/** Starts an example and waits until it listens. */
export async function runExample(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningExample> {
  const program = runNode([`examples/${name}.js`], { ...SETTINGS, ...env });
  const [, port = ''] = await program.until(/listening on .*?(?:localhost:|port: )(\d+)/s);
  return { ...program, url: `http://localhost:${port}` };
}
