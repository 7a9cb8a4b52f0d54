import { describe, it } from 'vitest';
import { describeAdapter } from '../../../src/testing/adapter-kit/index.js';
import { chatwootHarness, createChatwoot } from '../../fixtures/chatwoot/harness.js';

describeAdapter(createChatwoot, chatwootHarness('Chatwoot', {}), { describe, it });

// What an administrator may have switched on, all at once.
describeAdapter(
  createChatwoot,
  chatwootHarness('Chatwoot with identity validation, a single conversation and a greeting', {
    hmacMandatory: true,
    lockToSingleConversation: true,
    greeting: 'Hello from Chatwoot',
  }),
  { describe, it },
);
