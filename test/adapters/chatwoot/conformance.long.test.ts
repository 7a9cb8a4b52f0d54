import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/conformance/index.js';
import { chatwootHarness, createChatwoot } from '../../fixtures/chatwoot/harness.js';

describeAdapter(createChatwoot, chatwootHarness('Chatwoot', {}), { describe, it });

// Everything an administrator may have enabled, at the same time.
describeAdapter(
  createChatwoot,
  chatwootHarness('Chatwoot with identity validation, a single conversation and a greeting', {
    hmacMandatory: true,
    lockToSingleConversation: true,
    greeting: 'Hello from Chatwoot',
  }),
  { describe, it },
);
