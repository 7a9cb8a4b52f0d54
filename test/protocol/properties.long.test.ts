import { vi } from 'vitest';

vi.stubEnv('PROPERTY_FACTOR', '5');
await import('./properties.test.js');
await import('./normalise-message.test.js');
await import('../receiver/parse-json.test.js');
