import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/conformance/index.js';
import { createIntercom, intercomHarness } from '../../fixtures/intercom/harness.js';

describeAdapter(createIntercom, intercomHarness('Intercom', {}), { describe, it });

// An app whose webhooks carry HTML, and deliveries that are repeated.
describeAdapter(
  createIntercom,
  intercomHarness('Intercom with webhooks of version 2.14, each sent twice', {
    webhookVersion: '2.14',
    copies: 2,
  }),
  { describe, it },
);
