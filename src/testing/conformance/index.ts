/**
 * The conformance kit for adapters. Files, in reading order: `harness` (implemented by the adapter's author),
 * `run-conformance`, `check-context` (the environment of one check), `full-stack` (user to agent and back), `checks/`.
 *
 * @module
 */

export { ConformanceError } from './failures.js';
export { createFaultProxy, type FaultProxy, type FaultScope, type ProxiedRequest } from './fault-proxy.js';
export type {
  AdapterFactory,
  AdapterFactoryInput,
  AdapterHarness,
  FaultAnswer,
  HarnessFeature,
  HarnessFile,
  HarnessHelpdesk,
  HelpdeskAgent,
  HelpdeskConversation,
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
