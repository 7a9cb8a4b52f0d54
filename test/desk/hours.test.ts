import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { HoursRules, HoursView, Weekday } from '../../src/desk/api.js';
import { type AgentClient, eventually } from './agent-client.js';
import { createDeskEnvironment, type InstanceOptions } from './desk-environment.js';

const DAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The day this many days from now, in UTC. */
const dayIn = (days: number): Date => new Date(Date.now() + days * 86_400_000);

/** Open all day, so many days from now. */
const openIn = (...days: readonly number[]): HoursRules['open'] =>
  Object.fromEntries(days.map((count) => [DAYS[dayIn(count).getUTCDay()], ['00:00-24:00']]));

/** Closed now. It may become midnight during a test. */
const CLOSED: HoursRules = { mode: 'weekly', timeZone: 'UTC', open: openIn(3), closedOn: [], message: '' };
const OPEN: HoursRules = { ...CLOSED, open: openIn(0, 1) };

const read = async (agent: AgentClient) => (await agent.get<HoursView>('/api/admin/hours')).body;

/** Saves hours on top of the current ones. */
async function save(agent: AgentClient, rules: Partial<HoursRules>) {
  const { version } = await read(agent);
  return agent.send('PUT', '/api/admin/hours', { ...CLOSED, ...rules, version });
}

/** A desk with the administrator `root`. */
async function deskWithRoot(options: InstanceOptions = {}) {
  const { bench, start } = await createDeskEnvironment({ stored: true });
  const instance = await start(options);
  const root = await instance.agent('root', 'administrator');
  /** A handoff request of a new user; gives its state at the platform. */
  const request = async () => (await bench.requestHandoff({ user: { userId: randomUUID() } })).state;
  return { bench, start, instance, root, request };
}

describe('business hours', () => {
  it('are none until an administrator sets some, and apply from the next handoff on', async () => {
    const { instance, root, request } = await deskWithRoot();
    expect(await read(root)).toMatchObject({ mode: 'always', configured: null, isOpenNow: true, version: 0 });
    expect(await request()).toBe('connecting');
    const saved = await save(root, CLOSED);
    expect(saved).toMatchObject({ status: 200, body: { ...CLOSED, isOpenNow: false, version: 1 } });
    expect(await read(root)).toEqual(saved.body);
    expect(await request()).toBe('busy');
    // What was open stays open.
    expect((await root.state()).counts).toMatchObject({ waiting: 1 });
    expect((await instance.audit()).at(-1)).toMatchObject({
      agent: 'root',
      action: 'business hours',
      before: { mode: 'always', timeZone: '' },
      after: { mode: 'weekly', timeZone: 'UTC', open: CLOSED.open },
    });
    expect(await save(root, { mode: 'always' })).toMatchObject({ body: { isOpenNow: true } });
    expect(await request()).toBe('connecting');
  });

  it('are kept by every process on the database', async () => {
    const { bench, start, root, request } = await deskWithRoot();
    // Handoffs go to the process that started last.
    const second = await start();
    await save(root, { message: 'We are back on Monday.' });
    const handoff = await bench.requestHandoff();
    expect((await handoff.nextReply()).text).toBe('We are back on Monday.');
    await eventually(async () =>
      expect(await second.receiver.conversations.get(handoff.id)).toMatchObject({
        state: 'closed',
        closure: { by: 'system' },
      }),
    );
    expect((await root.state()).conversations).toEqual([]);
    await save(root, OPEN);
    expect(await request()).toBe('connecting');
  });

  it('have days off', async () => {
    const { root, request } = await deskWithRoot();
    const closedOn = [dayIn(0), dayIn(1)].map((day) => day.toISOString().slice(0, 10));
    await save(root, { ...OPEN, closedOn });
    expect(await request()).toBe('busy');
    await save(root, OPEN);
    expect(await request()).toBe('connecting');
  });

  it('come before those of the options, which administrators can return to', async () => {
    const hours = { timeZone: 'UTC', open: CLOSED.open };
    const { bench, instance, root, request } = await deskWithRoot({
      bridge: { hours, whenClosed: 'apologise', messages: { outsideHours: 'By the options.' } },
    });
    expect(await read(root)).toMatchObject({
      mode: 'configured',
      configured: { ...hours, closedOn: [] },
      isOpenNow: false,
      // A start for changing them.
      ...hours,
      message: 'By the options.',
    });
    expect((await (await bench.requestHandoff()).nextReply()).text).toBe('By the options.');
    const warnings = () => instance.logged.about('replace those of the options');
    expect(warnings()).toEqual([]);
    await save(root, { mode: 'always' });
    expect(await request()).toBe('connecting');
    expect(warnings()).toHaveLength(1);
    await save(root, { message: '' });
    expect(await request()).toBe('busy');
    await save(root, { mode: 'configured', message: '' });
    expect((await (await bench.requestHandoff()).nextReply()).text).toBe('By the options.');
  });

  it('of an application that decides by itself are shown as such, and apply', async () => {
    const { start, root, request } = await deskWithRoot({ bridge: { hours: () => false } });
    expect(await read(root)).toMatchObject({ mode: 'configured', configured: 'function', isOpenNow: false });
    expect(await request()).toBe('busy');
    await save(root, { mode: 'configured' });
    // An application that no longer has hours is always open.
    await start();
    expect(await request()).toBe('connecting');
  });

  it.each([
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }, 'INVALID_HOURS'],
    ['an empty range', { open: { mon: ['09:00-09:00'] } }, 'INVALID_HOURS'],
    ['a range that is none', { open: { mon: ['9 to 5'] } }, 'INVALID_HOURS'],
    ['a day that is none', { closedOn: ['2026-02-30'] }, 'INVALID_HOURS'],
    ['no open day', { open: { mon: [] } }, 'INVALID_HOURS'],
    ['an unknown weekday', { open: { moonday: ['09:00-17:00'] } }, 'INVALID'],
    ['an unknown mode', { mode: 'never' }, 'INVALID'],
  ])('refuse %s, and stay as they were', async (_what, wrong, code) => {
    const { instance, root } = await deskWithRoot();
    expect(await save(root, wrong as Partial<HoursRules>)).toMatchObject({ status: 400, body: { code } });
    expect(await read(root)).toMatchObject({ mode: 'always', version: 0 });
    expect((await instance.audit()).filter(({ action }) => action === 'business hours')).toEqual([]);
  });

  it('are not overwritten by an administrator who has not seen the last change', async () => {
    const { root, request } = await deskWithRoot();
    expect((await save(root, CLOSED)).status).toBe(200);
    const stale = { ...CLOSED, mode: 'always', version: 0 };
    expect(await root.send('PUT', '/api/admin/hours', stale)).toMatchObject({
      status: 409,
      body: { code: 'HOURS_CHANGED' },
    });
    expect(await request()).toBe('busy');
  });

  it('need a text where the options ask for one', async () => {
    await expect(deskWithRoot({ bridge: { whenClosed: 'apologise' } })).rejects.toThrow(
      'messages.outsideHours',
    );
  });
});
