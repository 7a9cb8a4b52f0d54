/** The part of `cookie` 0.7 that the desk uses; the package has no types of its own. */
declare module 'cookie' {
  export function parse(header: string): Record<string, string | undefined>;
}
