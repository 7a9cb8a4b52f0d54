import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { asSentence, outputFor, printFailure } from '../../src/cli/output.js';
import { HandoffKitError } from '../../src/public/index.js';

const stream = (isTTY: boolean) => ({ isTTY, write: () => true });

import { emptyDatabase, temporaryFolder } from '../standalone/databases.js';

describe('output', () => {
  it.each([
    ['text with colours on a terminal', {}, true, {}, { json: false, colours: true }],
    ['text elsewhere, without colours', {}, false, {}, { json: false, colours: false }],
    ['JSON on a terminal with --json', { json: true }, true, {}, { json: true, colours: true }],
    ['no colours with NO_COLOR', {}, true, { NO_COLOR: '1' }, { json: false, colours: false }],
    ['no colours on a dumb terminal', {}, true, { TERM: 'dumb' }, { json: false, colours: false }],
    ['no colours elsewhere even in CI', {}, false, { CI: '1' }, { json: false, colours: false }],
  ])('is %s', (_name, flags, isTTY, env, expected) => {
    expect(outputFor(flags, stream(isTTY), env)).toEqual(expected);
  });

  it('prints a failure as text or as JSON', () => {
    const error = new HandoffKitError('WRONG_USE', 'cannot do this. Do that.');
    const written: string[] = [];
    const errors = { write: (text: string) => written.push(text) };
    printFailure(error, { json: false }, errors);
    printFailure(error, { json: true }, errors);
    expect(written).toEqual([
      'Cannot do this. Do that.\n',
      '{"error":{"code":"WRONG_USE","message":"cannot do this. Do that."}}\n',
    ]);
  });

  it.each([
    ['there is no database. Give one.', 'There is no database. Give one.'],
    ['--user is empty. Give an id.', '--user is empty. Give an id.'],
    ['DATABASE_URL is empty.', 'DATABASE_URL is empty.'],
    ['createReceiver needs an option.', 'createReceiver needs an option.'],
    ['request-tracker: name the queue.', 'request-tracker: name the queue.'],
    ['a.csv is not JSON.', 'a.csv is not JSON.'],
  ])('shows the message %j as the sentence %j', (message, sentence) => {
    expect(asSentence(message)).toBe(sentence);
  });

  it('prints the stack of a bug', () => {
    const written: string[] = [];
    printFailure(new Error('a mistake'), { json: true }, { write: (text) => written.push(text) });
    expect(written.join('')).toMatch(/^Error: a mistake\n +at /);
  });

  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const environment = { PATH: process.env.PATH };

  it.each([
    ['stdout', ['serve', '--help'], 0],
    ['stderr', ['serve'], 2],
    ['stderr', ['inbox', 'list', '--json'], 2],
    ['stderr', ['no-such-command'], 2],
  ] as const)('may lose the reader of %s: %j', async (closed, args, code) => {
    const cwd = temporaryFolder();
    const child = spawn(process.execPath, [main, ...args], { env: environment, cwd });
    child[closed].destroy();
    let written = '';
    const other = closed === 'stdout' ? child.stderr : child.stdout;
    other.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
    expect(await once(child, 'close')).toEqual([code, null]);
    expect(written).toBe('');
  });

  it('ends quietly in a pipe to head', async () => {
    const env = { ...environment, ...(await emptyDatabase()), NODE: process.execPath, MAIN: main };
    const script =
      'set -o pipefail; "$NODE" "$MAIN" inbox list --help | head -1; "$NODE" "$MAIN" inbox list | head -1';
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Usage: handoff-kit inbox list .*\nThe inbox has no such jobs\.\n$/);
  });

  it('may lose both readers while a server runs', async () => {
    const child = spawn(process.execPath, [main, 'serve', '--dev', '--port', '0', '--json'], {
      env: { ...environment, DATABASE_URL: 'none' },
    });
    const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
    const { url } = JSON.parse(String(line).split('\n')[0] ?? '');
    child.stdout.destroy();
    child.stderr.destroy();
    for (const status of [401, 401]) {
      expect((await fetch(`${url}/webhook`, { method: 'POST', body: '{}' })).status).toBe(status);
    }
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
