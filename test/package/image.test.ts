import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { ENVIRONMENT } from '../standalone/environment.js';
import { post } from '../standalone/program.js';
import { packedPackage, ROOT, run } from './installed.js';
import { openRegistry } from './registry.js';

const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
const lineOf = (instruction: string): string =>
  new RegExp(`^${instruction} (.*)$`, 'm').exec(dockerfile)?.[1] ?? '';
const listOf = (instruction: string): string[] => JSON.parse(lineOf(instruction));

/** The user of the image, as far as this process may become another one. */
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? { uid: 65_534, gid: 65_534 } : {};

/** Node 20 has no SQLite of its own; the image has a newer Node. */
const driver = Number(process.versions.node.split('.')[0]) < 22 ? ' @photostructure/sqlite' : '';

/** Copies the files that the Dockerfile copies to a folder that stands for /app, and runs the commands of its RUN. */
async function buildImage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-kit-image-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const registry = await openRegistry();
  onTestFinished(() => registry.close());
  copyFileSync(join(ROOT, 'deploy/Dockerfile'), join(folder, 'Dockerfile'));
  writeFileSync(join(folder, 'handoff-kit-0.0.0.tgz'), await packedPackage());
  const here = lineOf('RUN').replace(' && mkdir /data', '');
  const args = { PACKAGE: './handoff-kit-0.0.0.tgz', WITH: `pg@8${driver}` };
  await run('sh', ['-ec', here], folder, { ...registry.env, ...args });
  chmodSync(folder, 0o755);
  return folder;
}

describe('the commands of deploy/Dockerfile', () => {
  it('install a receiver that runs as another user, writes to /data only, and is healthy', {
    timeout: 300_000,
  }, async () => {
    const app = await buildImage();
    expect(readdirSync(app).sort()).toEqual(['node_modules', 'package.json']);
    const data = mkdtempSync(join(tmpdir(), 'handoff-kit-data-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    if (isRoot) chownSync(data, asNobody.uid ?? 0, asNobody.gid ?? 0);
    const inImage = (text: string): string => text.replace('/app/', `${app}/`);
    const env = {
      PATH: process.env.PATH,
      ...ENVIRONMENT,
      DATABASE_URL: `sqlite:${data}/handoff.db`,
      AUTO_REPLY: '{text}',
      PLATFORM_BASE_URL: 'http://127.0.0.1:2',
      PLATFORM_API_KEY: 'key',
    };
    const [program = '', ...args] = [...listOf('ENTRYPOINT'), ...listOf('CMD')].map(inImage);
    const child = spawn(program, args, { cwd: data, env, ...asNobody });
    onTestFinished(() => void child.kill('SIGKILL'));
    const port = await new Promise<string>((found, failed) => {
      let output = '';
      const read = (text: Buffer): void => {
        output += String(text);
        const [, listening] = /"status":"listening","url":"[^"]+:(\d+)"/.exec(output) ?? [];
        if (listening !== undefined) found(listening);
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('close', () => failed(new Error(output)));
    });

    const [check = '', ...checkArgs] = JSON.parse(/CMD (\[.*\])$/.exec(lineOf('HEALTHCHECK'))?.[1] ?? '[]');
    expect(spawnSync(check, checkArgs, { env: { ...env, PORT: port }, ...asNobody }).status).toBe(0);
    expect(spawnSync(check, checkArgs, { env: { ...env, PORT: '1' }, ...asNobody }).status).toBe(1);
    const answer = await post(`http://127.0.0.1:${port}/webhook/${PATH_TOKEN}/chat`, chatBody());
    expect(answer.status).toBe(200);
    expect(statSync(join(data, 'handoff.db')).mode & 0o777).toBe(0o600);
    child.kill('SIGKILL');
    await once(child, 'close');
  });
});
