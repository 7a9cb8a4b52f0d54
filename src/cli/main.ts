#!/usr/bin/env node
import { runProgram } from './program.js';

/** The time that open handles, such as kept-alive connections, may delay the end of the process. */
const LINGER_MS = 500;

// A reader such as `head` may close its end early. A command finishes, and a server continues, without it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

await runProgram(process.argv);
setTimeout(() => process.exit(), LINGER_MS).unref();
