import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hasEnded, identifyProcess } from '../../src/delivery/process-identity.js';
import { identityOf, startChild } from './child-process.js';
import { eventually } from './contract/stage.js';

describe.runIf(process.platform === 'linux')('a process', () => {
  it('has not ended while it runs or is paused, and has once it was killed', async () => {
    const child = startChild('sleep', ['600']);
    const identity = identityOf(child.pid);
    expect(hasEnded(identity)).toBe(false);
    child.kill('SIGSTOP');
    await eventually(() => expect(readFileSync(`/proc/${child.pid}/stat`, 'utf8')).toContain(') T '));
    expect(hasEnded(identity)).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(hasEnded(identity)).toBe(true);
  });

  it('has ended when it is a zombie', async () => {
    // The shell starts a process, then replaces itself with one that never waits for it.
    const parent = startChild('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600']);
    const [line] = (await once(parent.stdout ?? parent, 'data')) as [Buffer];
    const zombie = Number(String(line));
    // The shell itself would wait for it.
    await eventually(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'));
    const identity = identityOf(zombie);
    process.kill(zombie, 'SIGKILL');
    await eventually(() => expect(readFileSync(`/proc/${zombie}/stat`, 'utf8')).toContain(') Z '));
    expect(hasEnded(identity)).toBe(true);
  });

  it('has ended when its id belongs to a later process', () => {
    const own = JSON.parse(identifyProcess() ?? '{}') as object;
    expect(hasEnded(JSON.stringify(own))).toBe(false);
    expect(hasEnded(JSON.stringify({ ...own, startedAt: '1' }))).toBe(true);
  });

  it('of another machine, or without an identity, cannot be seen', () => {
    const own = JSON.parse(identifyProcess() ?? '{}') as object;
    expect(hasEnded(JSON.stringify({ ...own, machine: 'another', startedAt: '1' }))).toBe(false);
    expect(hasEnded(null)).toBe(false);
  });
});
