import { BEARER_TOKEN, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { API_KEY } from '../helpers/fake-platform.js';
import { type RunningProgram, runNode } from '../standalone/program.js';

/** An example that runs in a child process. */
export interface RunningExample extends RunningProgram {
  readonly url: string;
}

/** The settings of the examples. */
const SETTINGS = {
  PORT: '0',
  WEBHOOK_USERNAME: USERNAME,
  WEBHOOK_SECRET: SECRET,
  HANDOFF_TOKEN: PATH_TOKEN,
  PLATFORM_API_KEY: API_KEY,
} as const;

/** Wrong credentials. */
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
