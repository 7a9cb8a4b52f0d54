/** A promise that the test settles. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

export function deferred<Value = void>(): Deferred<Value> {
  let settle: Omit<Deferred<Value>, 'promise'> | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (!settle) throw new Error('a promise runs its executor at once');
  return { promise, ...settle };
}

/** Waits for a value that depends on changing state. */
export interface Condition {
  /** Call it after every change, so that waiting calls of `until` check again. */
  changed(): void;
  /** Resolves to the first value of `look` that is not `undefined`. */
  until<Value>(look: () => Value | undefined): Promise<Value>;
}

export function createCondition(): Condition {
  const checks = new Set<() => void>();
  return {
    changed() {
      for (const check of checks) check();
    },
    until: (look) =>
      new Promise((resolve) => {
        const check = (): void => {
          const value = look();
          if (value === undefined) return;
          checks.delete(check);
          resolve(value);
        };
        checks.add(check);
        check();
      }),
  };
}
