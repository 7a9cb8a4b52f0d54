/** The exit codes of every command. */
export const EXIT = {
  /** The command succeeded. */
  ok: 0,
  /** The command failed, or its answer is no. */
  no: 1,
  /** Wrong use: an invalid flag, argument or setting. */
  wrongUse: 2,
} as const;
