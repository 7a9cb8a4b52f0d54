import type { Check } from '../check.js';
import { carryingChecks } from './carrying.js';
import { closingChecks } from './closing.js';
import { endingChecks } from './ending.js';
import { failingChecks } from './failing.js';
import { hearingChecks } from './hearing.js';
import { quietChecks } from './keeping-quiet.js';
import { openingChecks } from './opening.js';
import { outageChecks } from './outage.js';
import { readingChecks } from './reading.js';
import { signingChecks } from './signing.js';
import { textChecks } from './texts.js';

/** All checks, in the order in which they run: what is told by an earlier one is a cause of what a later one tells. */
export const allChecks: readonly Check[] = [
  ...openingChecks,
  ...failingChecks,
  ...signingChecks,
  ...readingChecks,
  ...endingChecks,
  ...quietChecks,
  ...carryingChecks,
  ...hearingChecks,
  ...closingChecks,
  ...outageChecks,
  ...textChecks,
];
