/**
 * Holds receivers of any make against the contract: judges single answers, and examines a receiver as a whole.
 * It uses the contract and what the simulator sends with, and nothing that knows how a receiver is made.
 *
 * @module
 */

export { type AnswerAssessment, assessAnswer } from './assess-answer.js';
export type { DoctorOptions } from './client.js';
export {
  type DoctorProgress,
  type DoctorReport,
  type DoctorResult,
  examineReceiver,
  selectDoctorChecks,
} from './examine.js';
export {
  appendPath,
  type EndpointGroup,
  endpointHeaders,
  endpointUrl,
  handoffBaseUrl,
  isLoopback,
  type ReceiverTarget,
  redactSecrets,
} from './target.js';
