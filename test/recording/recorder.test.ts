import { expect, it } from 'vitest';
import { createRecorder } from '../../src/recording/index.js';

it.runIf(process.platform === 'linux')('reports a failure of the last lines, too', async () => {
  const reported: string[] = [];
  const recorder = createRecorder({ to: '/dev/full' }, (message) => reported.push(message));
  await recorder.close();
  expect(reported).toEqual([expect.stringContaining('ENOSPC')]);
});
