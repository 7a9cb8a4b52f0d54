import cluster, { type Worker } from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { unwatchFile, watchFile } from 'node:fs';
import { onStopSignal } from '../standalone/index.js';
import { variablesOfEnvFile } from './env-file.js';
import { EXIT } from './output.js';

/** How often the files are looked at. Polling also notices editors that replace a file. */
const POLL_MS = 200;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Runs this command line in a worker process, and in a new one whenever a file changes. The new worker listens before
 * the old one is told to stop, and this process owns the port: there is no moment without a listener. A worker that
 * cannot start leaves the old one running. Resolves to the exit code after a signal.
 */
export function serveAndWatch(files: readonly string[]): Promise<number> {
  // Workers read .env anew. What this process took from it would win as environment.
  for (const name of variablesOfEnvFile) delete process.env[name];
  const environment = { HANDOFF_KIT_DEV_SEED: randomBytes(16).toString('hex') };
  let serving: Worker | undefined;
  let starting: Worker | undefined;
  let changedMeanwhile = false;
  let stopping: NodeJS.Signals | undefined;

  const start = (): void => {
    changedMeanwhile = false;
    const worker = cluster.fork(environment);
    starting = worker;
    worker.once('listening', () => {
      serving?.process.kill('SIGTERM');
      serving = worker;
      started();
    });
  };
  const started = (): void => {
    starting = undefined;
    if (changedMeanwhile && !stopping) start();
  };
  const changed = (file: string): void => {
    if (stopping) return;
    say(`${file} changed: starting again.`);
    if (starting) changedMeanwhile = true;
    else start();
  };

  return new Promise((resolve) => {
    cluster.on('exit', (worker, code: number | null) => {
      if (stopping) {
        if (Object.keys(cluster.workers ?? {}).length > 0) return;
        for (const file of files) unwatchFile(file);
        resolve(code ?? EXIT.no);
        return;
      }
      const wasStarting = worker === starting;
      if (worker === serving) serving = undefined;
      if (wasStarting) started();
      if (wasStarting && serving) say('It keeps running with the settings that it had before.');
      else if (!serving && !starting)
        say(`It ended with code ${code}. It starts again when ${files.join(' or ')} changes.`);
    });
    onStopSignal(process, {
      first(signal) {
        stopping = signal;
        const workers = Object.values(cluster.workers ?? {});
        if (workers.length === 0) {
          for (const file of files) unwatchFile(file);
          resolve(EXIT.no);
        }
        for (const worker of workers) worker?.process.kill(signal);
      },
      again() {
        for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
        process.exit(EXIT.no);
      },
    });
    for (const file of files) {
      watchFile(file, { interval: POLL_MS }, ({ mtimeMs, size }, before) => {
        if (mtimeMs !== before.mtimeMs || size !== before.size) changed(file);
      });
    }
    start();
  });
}
