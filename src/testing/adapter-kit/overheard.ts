import { format } from 'node:util';

const METHODS = ['debug', 'error', 'info', 'log', 'warn'] as const;

/** Runs a task and hears what is written to the console meanwhile, besides what the task itself returns. */
export async function overheard(task: () => Promise<readonly string[]>): Promise<{ said: string[] }> {
  const said: string[] = [];
  const real = METHODS.map((method) => [method, console[method]] as const);
  for (const [method, write] of real) {
    console[method] = (...given: unknown[]) => {
      said.push(format(...given));
      write.apply(console, given);
    };
  }
  try {
    said.push(...(await task()));
    return { said };
  } finally {
    for (const [method, write] of real) console[method] = write;
  }
}
