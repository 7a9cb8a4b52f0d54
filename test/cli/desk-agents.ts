import { expect, it } from 'vitest';
import { logIn, postLogin } from '../desk/agent-client.js';
import { startProgramProcess } from '../standalone/start-program.js';
import { runCli, runCliProcess } from './run-cli.js';

const PASSWORD = 'a long pass phrase';

/** The commands for agents beside a server on the same database. */
export function managesAgents(engine: string, createUrl: () => Promise<string>): void {
  it(`manage agents while the server runs on ${engine}`, async () => {
    const DATABASE_URL = await createUrl();
    const { url } = await startProgramProcess({ DATABASE_URL });
    const env = { DATABASE_URL };
    const desk = (args: readonly string[]) => runCli(['desk', ...args], { env });

    // The tests hash passwords at a lower cost than the program that checks this one.
    const added = await runCliProcess(
      ['desk', 'add-agent', 'ann', '--name', 'Ann Lee', '--password-stdin', '--json'],
      { env, input: `${PASSWORD}\n` },
    );
    expect([added.code, added.json()]).toEqual([
      0,
      { login: 'ann', name: 'Ann Lee', role: 'administrator', done: 'added' },
    ]);
    await desk(['add-agent', 'ben']);
    expect((await desk(['list-agents', '--json'])).json()).toEqual({
      agents: [
        { id: 'ann', name: 'Ann Lee', role: 'administrator' },
        { id: 'ben', name: 'ben', role: 'agent' },
      ],
    });
    const agent = await logIn(url, 'ann', PASSWORD);
    expect((await agent.state()).me).toEqual({ id: 'ann', name: 'Ann Lee', role: 'administrator' });
    expect((await desk(['set-role', 'ben', 'supervisor'])).stdout).toBe('ben is supervisor.\n');
    expect((await desk(['set-role', 'nobody', 'agent'])).code).toBe(1);
    expect((await postLogin(url, { name: 'ben', password: PASSWORD })).status).toBe(401);

    expect((await desk(['remove-agent', 'ann'])).stdout).toBe('ann was removed.\n');
    expect((await agent.get('/api/state')).status).toBe(401);
    const again = await desk(['remove-agent', 'ann', '--json']);
    expect([again.code, again.json()]).toEqual([1, { login: 'ann', removed: false }]);

    const { lines } = (await desk(['audit', '--json'])).json() as {
      lines: { agent: string | null; action: string }[];
    };
    expect(lines.map(({ agent: who, action }) => [who, action])).toEqual([
      [null, 'agent added'],
      [null, 'agent added'],
      ['ann', 'login'],
      [null, 'role changed'],
      [null, 'refused: login failed'],
      [null, 'agent removed'],
    ]);
    const text = await desk(['audit', '--last', '1']);
    expect(text.stdout).toMatch(/^\d{4}-\S+Z {2}- {2}- {2}agent removed +ann\n$/);
    expect(JSON.stringify(lines)).not.toContain(PASSWORD);
  });
}
