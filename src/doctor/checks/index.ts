import type { DoctorCheck } from '../check.js';
import { answerChecks, probeChecks } from './answers.js';
import { credentialChecks } from './credentials.js';
import { refusalChecks } from './refusals.js';
import { enduranceChecks } from './resilience.js';
import { toleranceChecks } from './tolerance.js';

/** Everything a correct receiver does, in the order in which it is looked at. */
export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  ...answerChecks,
  ...probeChecks,
  ...credentialChecks,
  ...toleranceChecks,
  ...refusalChecks,
  ...enduranceChecks,
];
