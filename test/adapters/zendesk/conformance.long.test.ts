import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/conformance/index.js';
import { createZendesk, zendeskHarness } from '../../fixtures/zendesk/harness.js';

describeAdapter(createZendesk, zendeskHarness('Zendesk', {}), { describe, it });

// Zendesk delivers at least once.
describeAdapter(createZendesk, zendeskHarness('Zendesk with each webhook sent twice', { copies: 2 }), {
  describe,
  it,
});

describeAdapter(
  createZendesk,
  zendeskHarness('Zendesk whose agents solve the ticket', { endsWith: 'solve' }),
  {
    describe,
    it,
  },
);
