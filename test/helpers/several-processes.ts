/**
 * A setup file: lets several receivers in one process use the same store under the same name, since many tests simulate
 * several processes that way. {@link refuseSharedStores} turns it off.
 */
const KEY = Symbol.for('handoff-kit.receivers');
const shared = globalThis as { [KEY]?: Set<string> };

class NoneInUse extends Set<string> {
  override has(): boolean {
    return false;
  }
}

shared[KEY] = new NoneInUse();

/** Behaves as in an application until the returned function is called. */
export function refuseSharedStores(): () => void {
  shared[KEY] = new Set();
  return () => {
    shared[KEY] = new NoneInUse();
  };
}
