import { onTestFinished, vi } from 'vitest';
import { sqliteEngine } from '../../helpers/sqlite-store.js';
import { describeClock } from './contract.js';

describeClock('SQLite', async () => {
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  return {
    ...sqliteEngine,
    async setClock(shiftMs) {
      clock.mockImplementation(() => now() + shiftMs);
    },
  };
});
