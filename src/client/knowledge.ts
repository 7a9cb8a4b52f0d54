import {
  type QaAdd,
  type QaAnswer,
  type QaUpdate,
  qaAdd,
  qaAnswer,
  qaUpdate,
  validate,
} from '../protocol/index.js';
import { call } from './call.js';
import type { CallOptions, Settings } from './options.js';

/** The knowledge of an agent. */
export interface KnowledgeCalls {
  /**
   * Adds pairs of questions and answers as documents (4.1). Look at `failed` in the answer: files named there
   * were not added. Never sent twice: if it is not known whether it was done, the error is `OUTCOME_UNKNOWN`.
   */
  addQa(input: QaAdd, options?: CallOptions): Promise<QaAnswer>;
  /** Replaces all pairs of documents (4.2). Look at `failed` in the answer: files named there were not used. */
  updateQa(input: QaUpdate, options?: CallOptions): Promise<QaAnswer>;
}

const readQaAnswer = (body: unknown): QaAnswer => validate(qaAnswer, body);

/** Makes the calls that change the knowledge of an agent. */
export function createKnowledgeCalls(settings: Settings): KnowledgeCalls {
  return {
    async addQa(input, options) {
      const body = validate(qaAdd, input);
      return call(settings, { endpoint: 'addQa', body, read: readQaAnswer }, options);
    },
    async updateQa(input, options) {
      const body = validate(qaUpdate, input);
      return call(settings, { endpoint: 'updateQa', body, read: readQaAnswer }, options);
    },
  };
}
