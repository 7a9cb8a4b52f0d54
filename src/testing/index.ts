/**
 * For the tests of those who use this package: the simulated service around a receiver, in one line.
 * It needs no test framework and works with any.
 *
 * @module
 */
export { createTestBench } from './create-test-bench.js';
export { TestBenchError, type TestBenchErrorCode } from './error.js';
export { fixtures } from './fixtures.js';
export type {
  BenchReceiverOptions,
  BenchService,
  ReceiverAddress,
  ReceiverFactory,
  TestBenchOptions,
} from './options.js';
export type { RequestListener } from './serve.js';
export type { Connect, TestBench } from './test-bench.js';
