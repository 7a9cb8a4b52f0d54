process.env.FUZZ_RUNS ??= '5000';
await import('./fuzz.test.js');
export {};
