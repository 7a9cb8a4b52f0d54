/** Whether a warning says that Node's own SQLite is new. Node gives it as text. */
const isAboutSqlite = (warning: string | Error): boolean =>
  String(warning).includes('SQLite is an experimental');

/**
 * Does something without Node's warning that its SQLite is an experiment: it would stand among the lines of programs,
 * which are often JSON, once for each thread, and says nothing that their users could act upon. Other warnings come as
 * ever.
 */
export function withoutSqliteWarning<Result>(work: () => Result): Result {
  const emitWarning: (...warning: never[]) => void = Reflect.get(process, 'emitWarning');
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (!isAboutSqlite(warning)) Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return work();
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning);
  }
}
