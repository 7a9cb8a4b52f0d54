import { describe, it } from 'vitest';

/** Something that some tests need and that `npm ci` does not install. */
export interface Requirement {
  /** How `HANDOFF_KIT_REQUIRE` names it. */
  readonly name: string;
  readonly found: boolean;
  /** What is left out without it. */
  readonly leavesOut: string;
  /** How to get it. */
  readonly howToGet: string;
}

/**
 * `describe` for tests that need something. Where it is missing, one line says what is left out and how to get
 * it, and the tests are skipped with that reason. Where `HANDOFF_KIT_REQUIRE`, a list of names with commas
 * between them, has its name, missing is a failure: CI must not leave out what it should show.
 */
export function describeWith(
  { name, found, leavesOut, howToGet }: Requirement,
  env: Readonly<Record<string, string | undefined>> = process.env,
): (title: string, suite: () => void) => void {
  if (found) return (title, suite) => void describe(title, suite);
  const reason = `left out: ${leavesOut}. To run it: ${howToGet}`;
  const isRequired = env.HANDOFF_KIT_REQUIRE?.split(',').some((required) => required.trim() === name);
  if (isRequired) throw new Error(`HANDOFF_KIT_REQUIRE says that "${name}" must be there. ${reason}`);
  process.stderr.write(`${reason}\n`);
  return (title) => {
    describe(title, () => {
      it('needs what is not here', ({ skip }) => skip(reason));
    });
  };
}
