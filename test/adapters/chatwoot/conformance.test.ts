import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/conformance/index.js';
import { chatwootHarness, makeChatwoot } from '../../fixtures/chatwoot/harness.js';

describeAdapter(makeChatwoot, chatwootHarness('Chatwoot', {}), { describe, it });

// What an administrator may have switched on, all at once.
describeAdapter(
  makeChatwoot,
  chatwootHarness('Chatwoot with identity validation, a single conversation and a greeting', {
    hmacMandatory: true,
    lockToSingleConversation: true,
    greeting: 'Hello from Chatwoot',
  }),
  { describe, it },
);
