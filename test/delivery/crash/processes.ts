import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const RECEIVER = fileURLToPath(new URL('receiver.js', import.meta.url));

/** Settings of a receiver process. */
export interface ReceiverSettings {
  /** The engine's folder, which is also its function's name. */
  readonly engine: string;
  readonly options: object;
  readonly port: number;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly journal: string;
}

/** A receiver from `dist` in another process, which is killed and restarted, or paused. */
export interface DisturbedReceiver {
  /** Kills it with SIGKILL, and starts a replacement. */
  replace(): Promise<void>;
  /** Stops it with SIGSTOP for this time, and records the end of the pause in the journal. */
  pause(ms: number): Promise<void>;
  /** Kills it without a replacement. */
  end(): Promise<void>;
}

/** Starts a receiver. `disturbed` gets the ids of killed and paused processes. */
export async function startDisturbedReceiver(
  settings: ReceiverSettings,
  disturbed: Set<number>,
): Promise<DisturbedReceiver> {
  let child = await startReceiver(settings);
  const kill = async (): Promise<void> => {
    disturbed.add(child.pid ?? 0);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return {
    async replace() {
      await kill();
      child = await startReceiver(settings);
    },
    async pause(ms) {
      disturbed.add(child.pid ?? 0);
      child.kill('SIGSTOP');
      await sleep(ms);
      appendFileSync(settings.journal, `${child.pid} continue\n`);
      child.kill('SIGCONT');
    },
    end: kill,
  };
}

async function startReceiver(settings: ReceiverSettings): Promise<ChildProcess> {
  const child = fork(RECEIVER, [JSON.stringify(settings)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`the receiver exited by itself (${String(code)}): ${stderr}`);
  });
  await Promise.race([once(child, 'message'), died]);
  died.catch(() => {});
  return child;
}
