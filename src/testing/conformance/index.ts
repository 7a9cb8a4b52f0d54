/**
 * The conformance kit: tells the author of an adapter what is wrong with it.
 *
 * @module
 */

export { ConformanceError } from './check.js';
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
  type DescribeAdapterOptions,
  describeAdapter,
  runConformance,
  type TestFramework,
} from './run-conformance.js';
