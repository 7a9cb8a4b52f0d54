import { describe, expect, it } from 'vitest';
import { createReadableLog } from '../../src/internal/readable-log.js';
import { createLog } from '../../src/public/index.js';
import { createReporter } from '../../src/standalone/reporter.js';
import { chatBody } from '../fixtures/bodies.js';
import { start } from '../helpers/start.js';
import { post } from './program.js';

const HOSTILE = 'a\u001b[2J\r\nforged \u009b31m\u202e line';

/** The reporter's line for a message with this text, in a conversation with this id. */
async function lineOf(text: string, id: string, colours = false): Promise<string> {
  const { url, receiver, seen } = await start();
  const written: string[] = [];
  const reporter = createReporter({
    json: false,
    colours,
    showText: true,
    write: (line) => written.push(line),
  });
  receiver.onAny((context) => reporter.event(context));
  await post(`${url}/chat`, chatBody({ conversation_id: id, body: text }));
  expect(seen).toHaveLength(1);
  return written.join('');
}

/** A readable log in memory. */
const logged = (colours = false) => {
  const written: string[] = [];
  const log = createLog({
    level: 'trace',
    destination: createReadableLog((line) => written.push(line), colours),
  });
  return { log, text: () => written.join('') };
};

describe('the line of an event', () => {
  it('stays one line, whatever the sender sends', async () => {
    const line = await lineOf(HOSTILE, HOSTILE);
    expect(line.match(/\n/g)).toHaveLength(1);
    expect(line.trimEnd()).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(line).toContain('"a\\u001b[2J\\u000d\\nforged \\u009b31m\\u202e line"');
  });

  it('has the length of the text', async () => {
    expect(await lineOf('x', 'id')).toContain('  1 character  "x"');
    expect(await lineOf('xy', 'id')).toContain('  2 characters  "xy"');
  });

  it('cuts long ids', async () => {
    expect((await lineOf('x', 'i'.repeat(500))).length).toBeLessThan(200);
  });

  it('has colours only on request', async () => {
    expect(await lineOf('x', 'id', true)).toContain('\u001b[36m');
    expect(await lineOf('x', 'id', false)).not.toContain('\u001b');
  });
});

describe('the readable log', () => {
  it('writes the message first, then the fields', () => {
    const { log, text } = logged();
    log.warn({ status: 401, reason: 'unauthorized' }, 'request refused');
    expect(text()).toMatch(
      /^\d\d:\d\d:\d\d {2}warning: request refused\n +status=401 {2}reason=unauthorized\n$/,
    );
  });

  it('writes the stack of an error', () => {
    const { log, text } = logged();
    log.error({ err: new Error('broken') }, 'something failed');
    expect(text()).toMatch(/error: something failed\n +Error: broken\n +at /);
  });

  it('applies redaction and escapes control characters', () => {
    const { log, text } = logged();
    log.info({ secret: 'sEcret', text: 'sEcret', id: HOSTILE }, HOSTILE);
    expect(text()).not.toContain('sEcret');
    expect(text().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it('has colours only on request', () => {
    const { log, text } = logged(true);
    log.warn({}, 'x');
    expect(text()).toContain('\u001b[33m');
  });
});
