/**
 * Black-box checks of any receiver, whatever it is built with: `assessAnswer` compares a single answer with the
 * protocol, `examineReceiver` runs every check. It imports only `protocol` and `simulator/sending`.
 *
 * @example
 * const { results } = await examineReceiver({ url: 'http://127.0.0.1:3000/webhook', message: {}, handoff: {} });
 * for (const { verdict, expects, advice } of results) if (verdict === 'fail') console.log(expects, advice);
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
