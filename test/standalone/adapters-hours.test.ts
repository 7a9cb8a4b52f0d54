import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sqlite } from '../../src/delivery/sqlite/index.js';
import { temporaryFolder } from './databases.js';
import { startStandalone } from './in-process.js';
import { startPlatform } from './start-program.js';
import { WAIT_OPTIONS } from './wait-options.js';

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Hours that are closed now, whatever day it is: all of the third day from today. */
const CLOSED = `UTC ${DAYS[(new Date().getUTCDay() + 3) % 7]} 00:00-24:00`;

async function requestOutsideHours(env: Readonly<Record<string, string>>) {
  const platform = await startPlatform();
  const delivery = sqlite({ file: join(temporaryFolder(), 'x.db') });
  const { url } = await startStandalone({ ...platform.environment, ...env }, delivery);
  platform.pointAt(url);
  return platform.simulator.requestHandoff();
}

describe('business hours of the program', () => {
  it('refuse handoffs outside of them', async () => {
    expect((await requestOutsideHours({ BUSINESS_HOURS: CLOSED })).state).toBe('busy');
  });

  it('send the text of OUTSIDE_HOURS to users outside of them', async () => {
    const handoff = await requestOutsideHours({ BUSINESS_HOURS: CLOSED, OUTSIDE_HOURS: 'Back on Monday.' });
    await vi.waitFor(() => expect(handoff.endedBy).toBe('agent'), WAIT_OPTIONS);
    expect(handoff.replies.map(({ text }) => text)).toEqual(['Back on Monday.']);
  });
});
