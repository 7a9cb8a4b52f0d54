import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { startStandalone } from './in-process.js';
import { PATIENTLY } from './patience.js';
import { startService } from './served.js';
import { temporaryFolder } from './stored.js';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Hours that are over, whatever day it is: all of the day after the day after tomorrow. */
const CLOSED = `UTC ${DAYS[(new Date().getUTCDay() + 3) % 7]} 00:00-24:00`;

async function requestOutsideHours(env: Readonly<Record<string, string>>) {
  const service = await startService();
  const delivery = sqlite({ file: join(temporaryFolder(), 'x.db') });
  const { url } = await startStandalone({ ...service.environment, ...env }, delivery);
  service.pointAt(url);
  return service.simulator.requestHandoff();
}

describe('business hours of the program', () => {
  it('refuse handoffs when nobody is there', async () => {
    expect((await requestOutsideHours({ BUSINESS_HOURS: CLOSED })).state).toBe('busy');
  });

  it('let users be told, where there is something to tell', async () => {
    const handoff = await requestOutsideHours({ BUSINESS_HOURS: CLOSED, OUTSIDE_HOURS: 'Back on Monday.' });
    await vi.waitFor(() => expect(handoff.endedBy).toBe('human'), PATIENTLY);
    expect(handoff.replies.map(({ text }) => text)).toEqual(['Back on Monday.']);
  });
});
