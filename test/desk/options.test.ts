import express from 'express';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDesk, type DeskOptions } from '../../src/public/desk.js';
import { createReceiver, noAuth } from '../../src/public/index.js';
import { serve } from '../helpers/serve.js';
import { logIn } from './agent-client.js';
import { PASSWORD } from './desk-environment.js';

const makeReceiver = () =>
  createReceiver({
    auth: { message: false, handoff: noAuth() },
    platform: { baseUrl: 'http://127.0.0.1:2', apiKey: 'key' },
    log: false,
  });

const HOOK = 'https://hooks.example.com/1';
const LINKED = { publicUrl: 'https://help.example.com/desk' };
const MAIL = { smtpUrl: 'smtps://a:b@mail.example.com', from: 'desk@example.com', to: 'team@example.com' };

describe('createDesk', () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[object, string]>([
    [
      { publicURL: 'https://x.example' },
      'createDesk does not know the option publicURL. Did you mean publicUrl?',
    ],
    [{ hours: {} }, 'createDesk does not know the option hours. It knows receiver, agents,'],
    [{ bridge: { openId: {} } }, 'bridge of createDesk does not know the option openId.'],
    [
      { bridge: { hours: { timeZone: 'UTC', open: {}, whenClosed: 'apologise' } } },
      'hours of bridge of createDesk does not know the option whenClosed.',
    ],
    [
      {
        agents: () => null,
        openId: { issuer: 'https://x.example', clientId: 'a', clientSecret: 'b', roleClaim: 'c', roles: {} },
      },
      'openId is for stored agents',
    ],
    [{ openId: { issuer: 'https://x.example', roles: { it: 'agent' } } }, 'openId'],
    [{ keepDays: 0 }, 'keepDays must be a number of days'],
    [{ webPush: { allowHttp: true } }, 'webPush of createDesk does not know the option allowHttp.'],
    [{ escalation: { afterMinutes: 1, to: { slack: HOOK } } }, 'escalation needs publicUrl'],
    [{ ...LINKED, escalation: { afterMinutes: 0, to: { slack: HOOK } } }, 'escalation.afterMinutes must be'],
    [{ ...LINKED, escalation: { afterMinutes: 1, to: {} } }, 'must name slack, webhook or email'],
    [{ ...LINKED, escalation: { afterMinutes: 1, to: { sms: '1' } } }, 'does not know the option sms.'],
    [{ ...LINKED, escalation: { afterMinutes: 1, to: { webhook: 'mailto:a@b.c' } } }, 'to.webhook must be'],
    [
      { ...LINKED, escalation: { afterMinutes: 1, to: { email: { ...MAIL, smtpUrl: 'http://sEcret@x' } } } },
      'email.smtpUrl must be smtps://',
    ],
    [
      { ...LINKED, escalation: { afterMinutes: 1, to: { email: { ...MAIL, to: 'the team' } } } },
      'from and to must be e-mail addresses',
    ],
  ])('refuses wrong options, and leaves nothing behind: %j', async (wrong, message) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] });
    const receiver = makeReceiver();
    const options: DeskOptions = { receiver, agents: 'stored', log: false };
    expect(() => createDesk({ ...options, ...wrong })).toThrow(message);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    // A bridge that was left behind would take the handoffs.
    const desk = createDesk(options);
    await receiver.close();
    await desk.close();
  });

  it('tells the page whether a platform is configured', async () => {
    const withoutPlatform = createReceiver({ auth: { message: false, handoff: noAuth() }, log: false });
    for (const [receiver, hasPlatform] of [
      [makeReceiver(), true] as const,
      [withoutPlatform, false] as const,
    ]) {
      const desk = createDesk({ receiver, agents: 'stored', log: false });
      onTestFinished(async () => {
        await receiver.close();
        await desk.close();
      });
      await desk.agents.save({ id: 'ann', name: 'Ann', role: 'administrator' }, PASSWORD);
      const { url } = await serve(express().use('/desk', desk));
      expect(await (await logIn(url, 'ann', PASSWORD)).state()).toMatchObject({ hasPlatform });
    }
  });

  it('passes the time limit of close to its bridge', async () => {
    const receiver = makeReceiver();
    const desk = createDesk({ receiver, agents: 'stored', log: false });
    const closed = vi.spyOn(desk.bridge, 'close');
    await receiver.close();
    await desk.close({ timeoutMs: 1_234 });
    expect(closed).toHaveBeenCalledWith({ timeoutMs: 1_234 });
  });
});
