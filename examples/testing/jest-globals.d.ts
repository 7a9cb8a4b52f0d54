/** The part of Jest that jest.test.js uses, so that it can be type-checked without Jest. */
declare module '@jest/globals' {
  interface Matchers {
    toBe(expected: unknown): void;
    toMatchObject(expected: object): Promise<void>;
    readonly rejects: Matchers;
  }
  export function test(name: string, run: () => Promise<void>): void;
  export function beforeEach(run: () => Promise<void>): void;
  export function afterEach(run: () => Promise<void>): void;
  export function expect(actual: unknown): Matchers;
}
