import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transformWithOxc } from 'vite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type NewWebhook, webhookPayload } from '../../src/desk/api.js';
import { deskWithHandoff } from '../desk/desk-environment.js';
import { createProgram } from '../desk/program-client.js';
import { eventually } from '../helpers/eventually.js';
import { freePort } from '../helpers/free-port.js';
import { blocksIn, read } from './pages.js';
import { readersFolder } from './reader.js';

const BLOCKS = blocksIn(read('docs/desk-api.md'));
const run = promisify(execFile);

/** A desk with a waiting conversation, and the programs of the page in a folder. */
async function reader() {
  const desk = await deskWithHandoff();
  const admin = await desk.instance.agent('admin', 'administrator');
  const { token } = await createProgram(desk.instance.url, admin);
  const folder = readersFolder();
  for (const { name, code, language } of BLOCKS.filter((each) => each.language === 'ts')) {
    const known = code.replace('4000', 'process.env.PORT');
    const { code: script } = await transformWithOxc(known, `program.${language}`, { sourcemap: false });
    writeFileSync(join(folder, name.replace(/ts$/, 'js')), script);
  }
  const env = { PATH: process.env.PATH, DESK_URL: `${desk.instance.url}/desk`, DESK_TOKEN: token };
  return { ...desk, admin, folder, env };
}

describe("the page about the desk's API", () => {
  it('has a program that marks conversations', async () => {
    const { folder, env, ann, bench } = await reader();
    const id = await ann.idOf((await bench.requestHandoff({ user: { userId: 'user-1' } })).id);
    expect((await run(process.execPath, ['mark.js'], { cwd: folder, env })).stdout).toBe('marked\n');
    const { summary, entries } = await ann.conversation(id);
    expect(summary.priority).toBe('urgent');
    expect(entries.map(({ event }) => event.type)).toContain('note');
  });

  it('has a receiver that accepts what the desk signs, and nothing else', async () => {
    const { folder, env, admin, ann, id } = await reader();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/desk-events`;
    const request = { url, events: ['note.added'], content: false };
    const { secret } = (await admin.send('POST', '/api/admin/webhooks', request)).body as NewWebhook;
    const child = spawn(process.execPath, ['receive.js'], {
      cwd: folder,
      env: { ...env, PORT: `${port}`, DESK_WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(async () => {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const forge = () =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    await eventually(async () => expect((await forge()).status).toBe(400));
    await ann.act(id, 'note', { messageId: 'n', text: 'A note.' });
    await eventually(() => expect(printed).toMatch(/^msg_\w+ note\.added\n$/));
  });

  it.skipIf(spawnSync('curl', ['--version']).error !== undefined)('has command lines that work', async () => {
    const { env, handoff } = await reader();
    const [lines] = BLOCKS.filter(({ language }) => language === 'sh');
    const { stdout } = await run('sh', ['-ec', lines?.code ?? ''], { env });
    expect(stdout).toContain(handoff.id);
    expect(stdout).toContain('"openapi":"3.1.0"');
  });

  it('shows a body of a webhook as it is', async () => {
    const [example] = BLOCKS.filter(({ language }) => language === 'json');
    expect(webhookPayload.parse(JSON.parse(example?.code ?? ''))).toEqual(JSON.parse(example?.code ?? ''));
  });
});
