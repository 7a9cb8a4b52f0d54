import type { Check } from '../check.js';
import { answerChecks } from './answers.js';
import { credentialChecks } from './credentials.js';
import { enduranceChecks } from './endurance.js';
import { probeChecks } from './probes.js';
import { refusalChecks } from './refusals.js';
import { toleranceChecks } from './tolerance.js';

/** Everything a correct receiver does, in the order in which it is looked at. */
export const CHECKS: readonly Check[] = [
  ...answerChecks,
  ...probeChecks,
  ...credentialChecks,
  ...toleranceChecks,
  ...refusalChecks,
  ...enduranceChecks,
];
