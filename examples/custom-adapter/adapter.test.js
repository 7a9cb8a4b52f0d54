// @ts-check
/**
 * Runs the conformance kit on the adapter, with Node's test runner:
 *
 *   node --test examples/custom-adapter/adapter.test.js
 */
import { describe, it } from 'node:test';
import { describeAdapter } from 'handoff-kit/testing';
import { tinyDesk } from './adapter.js';
import { harness, settingsFor } from './harness.js';

describeAdapter((site) => tinyDesk(settingsFor(site)), harness, { describe, it });
