import { inject, vi } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Set by Stryker. */
    mode?: 'dry-run' | 'mutant';
  }
}

// With a mutant, a test that waits for what will not happen has failed: most kills are such.
if (inject('mode') === 'mutant') vi.setConfig({ testTimeout: 4_000 });
