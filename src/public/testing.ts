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
export type {
  Inject,
  InjectedPayload,
  InjectedReply,
  InjectOptions,
  InjectResult,
} from '../receiver/index.js';
export * from '../testing/index.js';
