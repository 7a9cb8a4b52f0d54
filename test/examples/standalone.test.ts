import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { botMessageBody, chatBody } from '../fixtures/bodies.js';
import { basicHeader, PATH_TOKEN, SECRET, USERNAME } from '../helpers/credentials.js';
import { post } from '../standalone/program.js';
import { runExample, WRONG } from './example.js';

it('a receiver runs as its own program', async () => {
  const app = await runExample('standalone');
  const authorization = basicHeader(USERNAME, SECRET);
  expect((await post(`${app.url}/webhook`, botMessageBody(), WRONG)).status).toBe(401);
  const answer = await post(`${app.url}/webhook`, botMessageBody(), { authorization });
  expect(answer.status).toBe(200);
  await app.until(new RegExp(`message received with request ${answer.headers.get('x-request-id')}`));
  expect((await post(`${app.url}/webhook/${'x'.repeat(20)}/chat`, chatBody())).status).toBe(401);
  expect((await post(`${app.url}/webhook/${PATH_TOKEN}/chat`, chatBody())).status).toBe(200);
  await app.until(/handoff.message received/);

  app.signal('SIGTERM');
  expect(await app.ended).toBe(0);
});

it('the standalone example has at most twenty lines', () => {
  const text = readFileSync(new URL('../../examples/standalone.js', import.meta.url), 'utf8');
  const code = text.replace(/\/\*\*.*?\*\//s, '').split('\n');
  const lines = code.filter((line) => line.trim() !== '' && !line.startsWith('//'));
  expect(lines.length).toBeLessThanOrEqual(20);
});
