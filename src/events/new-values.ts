import { CLOSE_TYPES, MESSAGE_TYPES, unknownContentKinds } from '../protocol/index.js';
import type { DeliveredEventName, EventPayloads } from './catalog.js';

/** Reports a value that the contract does not name. */
export type NewValueReport = (field: string, value: string) => void;

const isNew = (known: readonly string[], value: string | null): value is string =>
  value !== null && !known.includes(value);

/** Reports values newer than the contract, which handlers get unchanged. */
export const reportNewValues: {
  [Name in DeliveredEventName]: (payload: EventPayloads[Name], report: NewValueReport) => void;
} = {
  message(payload, report) {
    for (const kind of unknownContentKinds(payload)) report('output[].content', kind);
  },
  'handoff.requested'(payload, report) {
    for (const { message_type } of payload.body) {
      if (isNew(MESSAGE_TYPES, message_type)) report('body[].message_type', message_type);
    }
  },
  'handoff.message'() {},
  'handoff.closed'(payload, report) {
    if (isNew(CLOSE_TYPES, payload.type)) report('type', payload.type);
  },
};
