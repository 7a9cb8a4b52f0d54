/**
 * Holds receivers of any make against the contract: judges single answers, and examines a receiver as a whole.
 * It uses the contract and what the simulator sends with, and nothing that knows how a receiver is made.
 *
 * @module
 */
export { checksOf, type Examination, examine, type Progress, type Result } from './examine.js';
export { judgeAnswer, type Verdict } from './judge-answer.js';
export { isLoopback } from './loopback.js';
export type { ExamineOptions } from './session.js';
export {
  below,
  type Group,
  handoffBase,
  headersOf,
  type Target,
  urlOf,
  withoutSecrets,
} from './target.js';
