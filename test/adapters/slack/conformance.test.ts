import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/index.js';
import { makeSlack, slackHarness } from './harness.js';

describeAdapter(makeSlack, slackHarness, { describe, it });
