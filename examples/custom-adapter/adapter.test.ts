/** Runs the conformance kit on the adapter. */
import { describeAdapter } from 'handoff-kit/testing';
import { describe, it } from 'vitest';
import { createAdapter, harness } from './harness.js';

describeAdapter(createAdapter, harness, { describe, it });
