import { vi } from 'vitest';

vi.stubEnv('FUZZ_RUNS', process.env.FUZZ_RUNS ?? '5000');
await import('./fuzz.test.js');
