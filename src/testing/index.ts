/**
 * For the tests of those who use this package: the simulated service around a receiver, in one line, and the
 * conformance kit for adapters.
 * It needs no test framework and works with any.
 *
 * @module
 */
export {
  type AdapterFactory,
  type AdapterFactoryInput,
  type AdapterHarness,
  ConformanceError,
  type ConformanceOptions,
  type ConformanceResult,
  conformanceChecks,
  createFaultProxy,
  type DescribeAdapterOptions,
  describeAdapter,
  type FaultAnswer,
  type FaultProxy,
  type FaultScope,
  type HarnessFeature,
  type HarnessSystem,
  type ProxiedRequest,
  runConformance,
  type SystemAgent,
  type SystemConversation,
  type TestFramework,
} from './conformance/index.js';
export { createTestBench } from './create-test-bench.js';
export { fixtures } from './fixtures.js';
export type { RequestListener } from './serve.js';
export type {
  BenchReceiverOptions,
  BenchService,
  ConnectReceiver,
  ReceiverAddress,
  ReceiverFactory,
  TestBench,
  TestBenchOptions,
} from './test-bench.js';
export { TestBenchError, type TestBenchErrorCode } from './test-bench.js';
