import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { botMessageBody } from '../fixtures/bodies.js';
import { basicHeader, SECRET, USERNAME } from '../helpers/credentials.js';
import { temporaryFolder } from '../standalone/databases.js';
import { ENVIRONMENT } from '../standalone/environment.js';
import { addressOf, post, runNode } from '../standalone/program.js';

const fileOf = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const authorization = basicHeader(USERNAME, SECRET);

it('serve --watch starts again when .env changes, and loses no event', async () => {
  const folder = temporaryFolder();
  const env = { ...ENVIRONMENT, DATABASE_URL: 'sqlite:./handoff.db' };
  const write = (more: Readonly<Record<string, string>>): void =>
    writeFileSync(join(folder, '.env'), fileOf({ ...env, ...more }));
  write({});
  const program = runNode(['dist/cli/main.js', 'serve', '--watch', '--json'], {}, folder);
  const url = await addressOf(program);

  // Sends one message after another, each on a new connection, through all the changes.
  let stopped = false;
  const answered: string[] = [];
  const sending = (async () => {
    for (let number = 1; !stopped; number += 1) {
      const id = `m-${number}`;
      const headers = { authorization, connection: 'close' };
      const body = botMessageBody({ message_id: id, conversation_id: `c-${number}` });
      const { status } = await post(`${url}/webhook`, body, headers);
      expect(status).toBe(200);
      answered.push(`c-${number}`);
    }
  })();

  const count = (pattern: RegExp): number => [...program.stdout().matchAll(pattern)].length;
  const listening = (times: number) => program.until(new RegExp('"status":"listening".*'.repeat(times), 's'));
  write({ GREETING: 'refused', PORT: '0' });
  await program.until(/It keeps running with the settings that it had before/);
  write({ LOG_LEVEL: 'debug' });
  await listening(2);
  write({ LOG_LEVEL: 'warn' });
  await listening(3);
  stopped = true;
  await sending;
  await program.until(/"status":"stopped"/);

  expect(answered.length).toBeGreaterThan(0);
  for (const conversationId of answered) {
    const line = `"conversationId":"${conversationId}"[^\n]*"msg":"message"`;
    await program.until(new RegExp(line));
    expect(count(new RegExp(line, 'g'))).toBe(1);
  }
  program.signal('SIGTERM');
  expect(await program.ended).toBe(0);
});

it('serve --watch --dev keeps its generated credentials, and stops while it waits for a change', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'handoff.json'), JSON.stringify({ port: 0, databaseUrl: 'none' }));
  const args = ['dist/cli/main.js', 'serve', '--watch', '--dev', '--json', '--config', 'handoff.json'];
  const program = runNode(args, {}, folder);
  await addressOf(program);
  writeFileSync(
    join(folder, 'handoff.json'),
    JSON.stringify({ port: 0, databaseUrl: 'none', showText: true }),
  );
  await program.until(/"status":"listening".*"status":"listening"/s);
  const credentials = [...program.stdout().matchAll(/"credentials":(\{.*?\})/g)].map(([, found]) => found);
  expect(credentials).toHaveLength(2);
  expect(credentials[0]).toBe(credentials[1]);
  program.signal('SIGINT');
  expect(await program.ended).toBe(0);
});

it('serve --watch waits for a change when the settings are wrong from the start', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), 'PORT=0\n');
  const program = runNode(['dist/cli/main.js', 'serve', '--watch', '--json'], {}, folder);
  await program.until(/It starts again when \.env changes/);
  writeFileSync(join(folder, '.env'), fileOf({ ...ENVIRONMENT, DATABASE_URL: 'none' }));
  await addressOf(program);
  program.signal('SIGTERM');
  expect(await program.ended).toBe(0);
});
