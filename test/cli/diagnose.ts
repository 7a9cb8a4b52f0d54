import { onTestFinished } from 'vitest';
import { type DoctorOptions, examineReceiver, type ReceiverTarget } from '../../src/doctor/index.js';
import { startWrongReceiver } from '../fixtures/wrong-receiver.js';
import type { Mistake } from '../fixtures/wrong-receiver-mistakes.js';

/** Small enough to be quick, and larger than the limit of every receiver that is examined. */
const OVERSIZE: DoctorOptions = { oversizeBytes: 1_048_576 };

/** Examines a receiver, and sorts what the doctor found. */
export async function diagnose(target: ReceiverTarget, options: DoctorOptions = {}) {
  const { results, leftOpen } = await examineReceiver(target, { ...OVERSIZE, ...options });
  const failed = results.flatMap((result) => (result.verdict === 'fail' ? [result] : []));
  const advised = results.flatMap((result) => (result.verdict === 'advice' ? [result] : []));
  const ids = results.flatMap(({ id, verdict }) => (verdict === 'fail' || verdict === 'advice' ? [id] : []));
  return { results, leftOpen, failed, advised, ids };
}

/** Starts a receiver with these mistakes, until the test ends. */
export async function wrongReceiver(...mistakes: Mistake[]): Promise<ReceiverTarget> {
  const { target, end } = await startWrongReceiver(mistakes);
  onTestFinished(end);
  return target;
}

/** The checks that find something wrong with a receiver with these mistakes. */
export async function checksAgainst(...mistakes: readonly Mistake[]): Promise<readonly string[]> {
  const options = mistakes.includes('slow') ? { slowAfterMs: 20 } : {};
  return (await diagnose(await wrongReceiver(...mistakes), options)).ids;
}
