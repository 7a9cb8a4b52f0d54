import { describe, it } from 'vitest';

/** A dependency of some tests that `npm ci` does not install. */
export interface Requirement {
  /** Its name in `HANDOFF_KIT_REQUIRE`. */
  readonly name: string;
  readonly found: boolean;
  /** The tests that are skipped without it. */
  readonly leavesOut: string;
  /** How to get it. */
  readonly howToGet: string;
}

/**
 * `describe` for tests with a requirement. If it is missing, the tests are skipped with one line that says how to
 * get it. If `HANDOFF_KIT_REQUIRE`, a comma-separated list, contains its name, a missing requirement is an error: CI
 * must not skip tests.
 */
export function describeWith(
  { name, found, leavesOut, howToGet }: Requirement,
  env: Readonly<Record<string, string | undefined>> = process.env,
): (title: string, suite: () => void) => void {
  if (found) return (title, suite) => void describe(title, suite);
  const reason = `skipped: ${leavesOut}. To run it: ${howToGet}`;
  const isRequired = env.HANDOFF_KIT_REQUIRE?.split(',').some((required) => required.trim() === name);
  if (isRequired) throw new Error(`HANDOFF_KIT_REQUIRE contains "${name}", but it is missing. ${reason}`);
  process.stderr.write(`${reason}\n`);
  return (title) => {
    describe(title, () => {
      it('is skipped', ({ skip }) => skip(reason));
    });
  };
}
