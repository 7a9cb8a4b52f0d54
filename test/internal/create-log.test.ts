import { stripVTControlCharacters } from 'node:util';
import request from 'supertest';
import { afterEach, expect, it, vi } from 'vitest';
import { createLog } from '../../src/public/index.js';
import { chatBody } from '../fixtures/bodies.js';
import { LEVEL } from '../helpers/log-lines.js';
import { start } from '../helpers/start.js';

const { isTTY } = process.stdout;

afterEach(() => {
  process.stdout.isTTY = isTTY;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What the default logger writes to a terminal. */
function writtenToTerminal(): string {
  process.stdout.isTTY = true;
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  createLog({ level: 'info' }).info({ userKey: 'user-1', token: 'a-secret' }, 'a line');
  return write.mock.calls.map(([line]) => String(line)).join('');
}

it('is readable on a terminal, and redacted', () => {
  vi.stubEnv('NODE_ENV', 'development');
  // Where the tests run may say that colours are shown, or that they are not.
  const text = stripVTControlCharacters(writtenToTerminal());
  expect(text).toMatch(/\d\d:\d\d:\d\d .*note: a line\n.*userKey=user-1.*token=\[redacted\]/s);
  expect(text).not.toContain('{');
});

it('is JSON in production, which pino may write past the stream', () => {
  vi.stubEnv('NODE_ENV', 'production');
  expect(writtenToTerminal()).toMatch(/^(\{.*\}\n)?$/);
});

it('has no line of its own for an event at the default level', async () => {
  const to = await start();
  expect((await request(to.url).post('/chat').send(chatBody())).status).toBe(200);
  expect(to.logged.about('event accepted')).toHaveLength(1);
  expect(to.logged.lines().filter(({ level }) => level >= LEVEL.info)).toEqual([]);
});
