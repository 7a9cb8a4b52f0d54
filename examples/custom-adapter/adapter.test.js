// @ts-check
/**
 * The conformance kit, run on the adapter by Node's own test runner:
 *
 *   node --test examples/custom-adapter/adapter.test.js
 */
import { describe, it } from 'node:test';
import { describeAdapter } from 'handoff-kit/testing';
import { tinyDesk } from './adapter.js';
import { harness, settingsFor } from './harness.js';

describeAdapter((site) => tinyDesk(settingsFor(site)), harness, { describe, it });
