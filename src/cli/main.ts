#!/usr/bin/env node
import { runProgram } from './program.js';

/** How long what a command leaves open, such as connections kept alive, may hold the process up. */
const LEFTOVERS_MS = 500;

// Who reads no more of what is printed, as `head` does, has seen enough; a server goes on all the same.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

await runProgram(process.argv);
setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
