import { createRequire } from 'node:module';

/** A bundle in CommonJS has no `import.meta.url`. */
const here: string | undefined = import.meta.url;

/** Loads and finds optional packages, in a bundle from the folder in which the program was started. */
export const requireOptional: NodeJS.Require = createRequire(here ?? `${process.cwd()}/package.json`);
