/**
 * The base of every error this package throws.
 *
 * `code` is stable: switch on it, show `message` to people. A message says what went wrong and what to do
 * next; it never carries a secret or what a user wrote.
 */
export class HandoffKitError extends Error {
  /** A stable identifier of the kind of error, in capitals. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}
