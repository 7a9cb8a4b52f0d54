// @ts-check
/**
 * Runs the conformance kit on the adapter, with Node's test runner:
 *
 *   node --test examples/custom-adapter/adapter.test.js
 *
 * The same without a test runner: npx handoff-kit adapter check examples/custom-adapter/harness.js
 */
import { describe, it } from 'node:test';
import { describeAdapter } from 'handoff-kit/testing';
import { createAdapter, harness } from './harness.js';

describeAdapter(createAdapter, harness, { describe, it });
