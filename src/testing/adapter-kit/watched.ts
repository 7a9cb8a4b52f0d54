/** What a function did while it was watched. */
export interface Watched<Value> {
  readonly value: Value;
  /** How many requests it made by `fetch`. */
  readonly asked: number;
}

/** Runs a function that should be pure, at another time and with its requests counted. */
export function watched<Value>(act: () => Value, aheadMs: number): Watched<Value> {
  const { Date: realDate, fetch: realFetch } = globalThis;
  const now = realDate.now() + aheadMs;
  let asked = 0;
  globalThis.Date = new Proxy(realDate, {
    construct: (target, given) => Reflect.construct(target, given.length > 0 ? given : [now]),
    get: (target, name) => (name === 'now' ? () => now : Reflect.get(target, name)),
  });
  globalThis.fetch = (...given) => {
    asked += 1;
    return realFetch(...given);
  };
  try {
    return { value: act(), asked };
  } finally {
    globalThis.Date = realDate;
    globalThis.fetch = realFetch;
  }
}
