/**
 * Test kit for receivers and adapters. It needs no test framework and works with any.
 *
 * `createTestBench` connects a receiver to a simulated platform over real HTTP:
 *
 * @example
 * import { createReceiver } from 'handoff-kit';
 * import { createTestBench } from 'handoff-kit/testing';
 *
 * const bench = await createTestBench({
 *   receiver: (options) =>
 *     createReceiver(options)
 *       .on('handoff.requested', ({ reply }) => reply('Hello'))
 *       .on('handoff.message', ({ text, reply }) => reply(`You said: ${text}`)),
 * });
 * await bench.requestHandoff();
 * console.log((await bench.nextReply()).text); // Hello
 * await bench.say('hello');
 * console.log((await bench.nextReply()).text); // You said: hello
 * await bench.close();
 *
 * Where to look next:
 * - {@link TestBench}: users, replies, the clock, faults
 * - {@link fixtures}: request bodies for tests without a bench
 * - {@link describeAdapter} and {@link runConformance}: the conformance checks for adapters
 * - {@link replay}: sends a recording to a receiver again, and reports what differs
 * - {@link createFaultProxy}: a proxy that makes requests to a helpdesk fail
 *
 * @module
 */

export type { AgentCall, ReplayDifference, ReplayReport } from '../recording/replay.js';
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
  type HarnessFile,
  type HarnessHelpdesk,
  type HelpdeskAgent,
  type HelpdeskConversation,
  type ProxiedRequest,
  runConformance,
  type TestFramework,
} from './conformance/index.js';
export { createTestBench } from './create-test-bench.js';
export { fixtures } from './fixtures.js';
export { type ReplayOptions, replay } from './replay.js';
export type { RequestListener } from './serve.js';
export {
  type BenchPlatform,
  type BenchReceiverOptions,
  type ConnectReceiver,
  type ReceiverAddress,
  type ReceiverFactory,
  type TestBench,
  TestBenchError,
  type TestBenchErrorCode,
  type TestBenchOptions,
} from './test-bench.js';
