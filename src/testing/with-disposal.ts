/** Makes an object fit for `await using`. */
export function withDisposal<Target extends object>(
  target: Target,
  dispose: () => Promise<void>,
): Target & { [Symbol.asyncDispose]: () => Promise<void> } {
  const disposable = Object.assign(target, { [Symbol.asyncDispose]: dispose });
  // A test framework that runs tests in a context of its own may not have the symbol there: Node adds it to its own.
  if (typeof Symbol.asyncDispose !== 'symbol') Reflect.deleteProperty(disposable, 'undefined');
  return disposable;
}
