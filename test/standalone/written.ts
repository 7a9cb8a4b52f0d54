/** What a program has written so far. */
export interface Written {
  /** Everything it wrote to standard output so far. */
  readonly stdout: () => string;
  /** Everything it wrote to standard error so far. */
  readonly stderr: () => string;
  /** Resolves to the match as soon as standard output or standard error has it. Rejects when the program ends first. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>;
}

/** Collects what a program writes. */
export function collectWritten() {
  const texts = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  let hasEnded = false;
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const written: Written = {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(texts.stdout) ?? pattern.exec(texts.stderr);
          if (match) resolve(match);
          else if (hasEnded) reject(new Error(`ended before ${pattern}:\n${texts.stdout}${texts.stderr}`));
          else return;
          listeners.delete(look);
        };
        listeners.add(look);
        look();
      }),
  };
  return {
    written,
    add: (name: 'stdout' | 'stderr', text: string): void => {
      texts[name] += text;
      notify();
    },
    end: (): void => {
      hasEnded = true;
      notify();
    },
  };
}
