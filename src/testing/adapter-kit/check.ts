import type { HarnessFeature } from './harness.js';
import type { Rig } from './rig.js';

/** One thing that an adapter must do. */
export interface Check {
  /** Short and stable: what `unsupported` and `only` name it by. */
  readonly id: string;
  /** What holds for an adapter that conforms. */
  readonly title: string;
  /** What was expected, for a failure. */
  readonly expected: string;
  /** What to do about a failure. */
  readonly advice: string;
  /** What the system must have for it. */
  readonly needs?: readonly HarnessFeature[];
  /** Ends without a word when it holds; throws what it found when not. */
  run(rig: Rig): Promise<void>;
}

/** Thrown by a check that has nothing to look at, with the reason. */
export class NotApplicable extends Error {}
