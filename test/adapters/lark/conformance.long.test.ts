import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/conformance/index.js';
import { createLark, larkHarness } from '../../fixtures/lark/harness.js';

describeAdapter(createLark, larkHarness('Lark', {}), { describe, it });

describeAdapter(createLark, larkHarness('Lark with each event sent twice', { copies: 2 }), { describe, it });
