import type { DoctorCheck } from '../check.js';
import { answerChecks, probeChecks } from './answers.js';
import { credentialChecks } from './credentials.js';
import { refusalChecks } from './refusals.js';
import { resilienceChecks } from './resilience.js';
import { toleranceChecks } from './tolerance.js';

/** All checks, in the order in which they run. */
export const DOCTOR_CHECKS: readonly DoctorCheck[] = [
  ...answerChecks,
  ...probeChecks,
  ...credentialChecks,
  ...toleranceChecks,
  ...refusalChecks,
  ...resilienceChecks,
];
