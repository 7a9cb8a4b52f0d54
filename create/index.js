#!/usr/bin/env node
// The same as `handoff-kit init`, with the same arguments.
process.argv.splice(2, 0, 'init');
await import(new URL('dist/cli/main.js', import.meta.resolve('handoff-kit/package.json')).href);
