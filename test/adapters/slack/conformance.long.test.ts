import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/index.js';
import { createSlack, slackHarness } from './harness.js';

describeAdapter(createSlack, slackHarness, { describe, it });
