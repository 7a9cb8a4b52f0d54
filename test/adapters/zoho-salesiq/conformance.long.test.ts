import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/conformance/index.js';
import { createZohoSalesIq, salesIqHarness } from '../../fixtures/zoho-salesiq/harness.js';

describeAdapter(createZohoSalesIq, salesIqHarness('Zoho SalesIQ', {}), { describe, it });

describeAdapter(
  createZohoSalesIq,
  salesIqHarness('Zoho SalesIQ with each webhook sent twice', { copies: 2 }),
  { describe, it },
);
