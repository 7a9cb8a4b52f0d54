/**
 * A simulator of the platform: it hosts the platform's API, delivers webhooks to a receiver, and injects faults.
 * It knows the platform's interface from the specification alone and imports nothing of the receiver, the client or
 * `protocol`, so that a mistake cannot hide in both.
 *
 * For tests of a receiver, start with `createTestBench` of `handoff-kit/testing`, which wires a simulator to it.
 *
 * @example
 * import { createSimulator } from 'handoff-kit/simulator';
 *
 * const simulator = createSimulator({
 *   bots: [{
 *     id: 'bot-1',
 *     apiKey: 'key-1',
 *     humanServices: [{ componentId: 'desk', url: 'http://127.0.0.1:3000/webhook' }],
 *   }],
 * });
 * console.log(await simulator.listen(4000)); // the page, and the API for `baseUrl` and `apiKey`
 *
 * @module
 */
export * from '../simulator/index.js';
