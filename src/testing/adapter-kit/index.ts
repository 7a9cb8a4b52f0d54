/**
 * The conformance kit: tells the author of an adapter what is wrong with it.
 *
 * @module
 */
export { type DescribeAdapterOptions, describeAdapter, type TestFramework } from './describe-adapter.js';
export { ConformanceError } from './failure.js';
export { createFaultProxy, type FaultProxy, type FaultScope, type ProxiedRequest } from './fault-proxy.js';
export type {
  AdapterFactory,
  AdapterFactoryInput,
  AdapterHarness,
  FaultAnswer,
  HarnessFeature,
  HarnessSystem,
  SystemAgent,
  SystemConversation,
} from './harness.js';
export {
  type ConformanceOptions,
  type ConformanceResult,
  conformanceChecks,
  runConformance,
} from './run-conformance.js';
