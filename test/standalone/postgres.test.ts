import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCli } from '../cli/run-cli.js';
import { chatBody } from '../fixtures/bodies.js';
import { PATH_TOKEN } from '../helpers/credentials.js';
import { API_KEY, flakyPlatform } from '../helpers/fake-platform.js';
import { startServer } from '../helpers/postgres-server.js';
import { ENVIRONMENT } from './environment.js';
import { addressOf, post, runServe } from './program.js';

const WAIT = { timeout: 20_000, interval: 200 };

describe('the program on PostgreSQL', () => {
  it('stores events, shows dead letters, reports an unreachable database, and recovers', async () => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    const platform = await flakyPlatform(() => ({ status: 400 }));
    // The server may need no password, so a secret in the parameters stands for it.
    const url = new URL(server.connectionString);
    const env = { DATABASE_URL: `${url.href}?application_name=sEcret` };
    const program = runServe([], {
      ...ENVIRONMENT,
      ...env,
      PLATFORM_BASE_URL: platform.options.baseUrl,
      PLATFORM_API_KEY: API_KEY,
      AUTO_REPLY: 'You said: {text}',
    });
    const address = await addressOf(program);
    const chat = async (): Promise<number> =>
      (await post(`${address}/webhook/${PATH_TOKEN}/chat`, chatBody({ conversation_id: 'c-1' }))).status;
    const readiness = async () => {
      const answer = await fetch(`${address}/readyz`);
      return [answer.status, await answer.json()];
    };
    expect(await chat()).toBe(200);
    await vi.waitFor(async () => {
      const { stdout } = await runCli(['outbox', 'list', '--dead'], { env });
      expect(stdout).toMatch(/dead .* c-1 .* reply /);
    }, WAIT);
    expect(await (await fetch(`${address}/metrics`)).text()).toContain('dead{queue="outbox"} 1\n');
    expect(await readiness()).toEqual([200, { status: 'ready' }]);

    await server.stop();
    expect(await readiness()).toEqual([503, { status: 'database unreachable' }]);
    expect(await chat()).toBe(503);
    const away = await runCli(['inbox', 'list'], { env });
    expect([away.code, away.stderr]).toEqual([1, expect.stringContaining('Cannot use the database')]);

    await server.start();
    await vi.waitFor(async () => expect(await readiness()).toEqual([200, { status: 'ready' }]), WAIT);
    await vi.waitFor(async () => expect(await chat()).toBe(200), WAIT);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
    const written = program.stdout() + program.stderr() + away.stderr;
    expect(written).toContain(`"database":"postgres://${url.host}${url.pathname}"`);
    expect(written).not.toContain(`${url.password}@`);
    expect(written).not.toContain('sEcret');
  }, 90_000);

  it('starts while the database is unreachable, reports it, and handles events once it is back', async () => {
    const server = await startServer();
    onTestFinished(() => server.remove());
    await server.stop();
    const program = runServe([], { ...ENVIRONMENT, DATABASE_URL: server.connectionString });
    const address = await addressOf(program);
    const readiness = async () => (await fetch(`${address}/readyz`)).json();
    expect(await readiness()).toEqual({ status: 'database unreachable' });
    await server.start();
    await vi.waitFor(async () => expect(await readiness()).toEqual({ status: 'ready' }), WAIT);
    program.signal('SIGTERM');
    expect(await program.ended).toBe(0);
  }, 90_000);
});
