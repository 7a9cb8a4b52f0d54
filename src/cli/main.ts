#!/usr/bin/env node
import { runProgram } from './program.js';

/** How long what a command leaves open, such as connections kept alive, may hold the process up. */
const LEFTOVERS_MS = 500;

await runProgram(process.argv);
setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
