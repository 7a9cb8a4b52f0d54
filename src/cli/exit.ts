/** What a command's exit code says. */
export const EXIT = {
  /** It worked. */
  ok: 0,
  /** The answer is no. */
  no: 1,
  /** It was used in a wrong way. */
  wrongUse: 2,
} as const;
