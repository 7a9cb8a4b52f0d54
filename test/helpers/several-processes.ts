/**
 * A setup file: lets several receivers of one process use the same store under the same name, since many tests play
 * processes that way. {@link refuseSharedStores} turns it off.
 */
const KEY = Symbol.for('handoff-kit.receivers');
const shared = globalThis as { [KEY]?: Set<string> };

class NoneInUse extends Set<string> {
  override has(): boolean {
    return false;
  }
}

shared[KEY] = new NoneInUse();

/** Behaves as in an application from now on. Returns a function that ends it. */
export function refuseSharedStores(): () => void {
  shared[KEY] = new Set();
  return () => {
    shared[KEY] = new NoneInUse();
  };
}
