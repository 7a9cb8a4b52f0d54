import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { asSentence, outputFor, printFailure } from '../../src/cli/output.js';
import { HandoffKitError } from '../../src/public/index.js';

const stream = (isTTY: boolean) => ({ isTTY, write: () => true });

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

  it('that the reader closes early is no failure', async () => {
    const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
    const child = spawn(process.execPath, [main, 'serve', '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let failure = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      failure += text;
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(failure).toBe('');
  });
});
