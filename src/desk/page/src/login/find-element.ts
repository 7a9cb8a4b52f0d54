/** Finds an element; throws when it is missing. */
export const findElement = <Kind extends Element>(selector: string, kind: new () => Kind): Kind => {
  const element = document.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`${selector} is missing`);
};
