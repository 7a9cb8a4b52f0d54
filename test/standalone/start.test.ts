import { describe, expect, it } from 'vitest';
import { serve } from '../helpers/serve.js';
import { ENVIRONMENT } from './environment.js';
import { serveAsTextInProcess, serveInProcess } from './in-process.js';
import { addressOf, runServe, runServeAsText } from './program.js';

const ON_SIGNAL = (action: string): string =>
  `--import=data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${action} })`)}`;

describe('the start', () => {
  it('lists every problem of the settings and exits with 2', async () => {
    const program = serveAsTextInProcess(['--port', 'x'], {
      WEBHOOK_SECRET: 'sEcret ',
      DATABASE_URL: 'mysql:sEcret',
    });
    expect(await program.ended).toBe(2);
    expect(program.stdout()).toBe('');
    for (const name of ['PORT', 'WEBHOOK_USERNAME', 'WEBHOOK_SECRET', 'HANDOFF_AUTH', 'DATABASE_URL']) {
      expect(program.stderr()).toMatch(new RegExp(`^  ${name} `, 'm'));
    }
    expect(program.stderr()).toContain('handoff-kit serve --help');
    expect(program.stderr()).not.toContain('sEcret');
  });

  it('reports the problems as JSON with --json', async () => {
    const program = serveInProcess([], { ...ENVIRONMENT, PORT: 'x' });
    expect(await program.ended).toBe(2);
    expect(JSON.parse(program.stderr())).toMatchObject({
      error: { code: 'SETTINGS_INVALID', problems: [{ setting: 'PORT', from: 'the environment' }] },
    });
  });

  it('reports a port that is in use and exits with 1', async () => {
    const { port } = await serve((_request, response) => response.end());
    const program = runServeAsText(['--port', String(port)], ENVIRONMENT);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(new RegExp(`^Cannot listen: port ${port} is in use already`, 'm'));
    expect(program.stderr()).not.toContain('    at ');
  });

  it('reports an address that is not of this machine and exits with 1', async () => {
    const program = serveAsTextInProcess(['--host', '192.0.2.1'], ENVIRONMENT);
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toContain('this machine has no address 192.0.2.1');
  });

  it('listens on every address without HOST', async () => {
    const program = serveInProcess([], { ...ENVIRONMENT, HOST: undefined });
    expect(await addressOf(program)).toMatch(/^http:\/\/localhost:\d+$/);
  });

  it.each([
    ['an unhandled rejection', "Promise.reject(new Error('unforeseen'))"],
    ['an uncaught exception', "throw new Error('unforeseen')"],
  ])('is followed by exit code 1 and a log line for %s', async (_name, action) => {
    const program = runServe([], { ...ENVIRONMENT, NODE_OPTIONS: ON_SIGNAL(action) });
    await addressOf(program);
    program.signal('SIGUSR2');
    expect(await program.ended).toBe(1);
    const [line = ''] = program.stderr().trim().split('\n').slice(-1);
    expect(JSON.parse(line)).toMatchObject({ level: 'fatal', err: { message: 'unforeseen' } });
  });
});
