import type { ConformanceCheck } from '../check-context.js';
import { closeCallChecks } from './close-calls.js';
import { closingChecks } from './closing.js';
import { errorChecks } from './errors.js';
import { inboundChecks } from './inbound.js';
import { openCallChecks } from './open-calls.js';
import { orderingChecks } from './ordering.js';
import { outageChecks } from './outages.js';
import { outboundChecks } from './outbound.js';
import { secretChecks } from './secrets.js';
import { textChecks } from './texts.js';
import { parseChecks, verifyChecks } from './webhooks.js';

/** In the order in which they run: the failure of an early check often makes later checks fail. */
export const allChecks: readonly ConformanceCheck[] = [
  ...openCallChecks,
  ...errorChecks,
  ...verifyChecks,
  ...parseChecks,
  ...closeCallChecks,
  ...secretChecks,
  ...outboundChecks,
  ...inboundChecks,
  ...closingChecks,
  ...orderingChecks,
  ...outageChecks,
  ...textChecks,
];
