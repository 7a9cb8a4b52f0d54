import { describe, it } from 'vitest';
import { harness, settingsFor } from '../../../examples/custom-adapter/harness.js';
import { tinyDesk } from '../../../examples/custom-adapter/minimal.js';
import { describeAdapter } from '../../../src/testing/index.js';

describeAdapter(
  (site) => tinyDesk(settingsFor(site)),
  { ...harness, stepTimeoutMs: 30_000 },
  { describe, it },
);
