/** An `AbortController` that comes into being when somebody asks for its signal: most handlers never do. */
export interface LazyAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
}

/** Makes a {@link LazyAbort}. */
export function createLazyAbort(): LazyAbort {
  let controller: AbortController | undefined;
  let aborted: { readonly reason: unknown } | undefined;
  return {
    get signal() {
      controller ??= new AbortController();
      if (aborted) controller.abort(aborted.reason);
      return controller.signal;
    },
    abort(reason) {
      aborted = { reason };
      controller?.abort(reason);
    },
  };
}
