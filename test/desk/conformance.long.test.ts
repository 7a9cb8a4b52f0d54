import { describe, it } from 'vitest';
import { describeAdapter } from '../../src/testing/conformance/index.js';
import { deskHarness, makeDesk } from '../fixtures/desk/harness.js';

describeAdapter(makeDesk, deskHarness, { describe, it });
