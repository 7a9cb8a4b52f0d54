import {
  type DoctorOptions,
  type DoctorProgress,
  type EndpointGroup,
  examineReceiver,
  redactSecrets,
  selectDoctorChecks,
} from '../../doctor/index.js';
import { onStopSignal } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import { type ReceiverFlags, targetOf } from '../receiver-flags.js';
import { announcement, hasConsent } from './consent.js';
import { countsOf, createReport } from './report.js';

/** What the command line says of an examination. */
export interface DoctorFlags extends ReceiverFlags {
  readonly url: string;
  readonly only?: EndpointGroup;
  readonly timeout: number;
  readonly goodTime: number;
  readonly oversize: number;
  readonly yes?: boolean;
}

const CLEAR_LINE = '\r\u001B[K';

/** Examines a receiver and shows what it found. */
export async function runDoctor(flags: DoctorFlags, output: Output): Promise<number> {
  const target = targetOf(flags.url, flags);
  const options: DoctorOptions = {
    groups: flags.only && [flags.only],
    timeoutMs: flags.timeout,
    slowAfterMs: flags.goodTime,
    oversizeBytes: flags.oversize,
  };
  process.stderr.write(`${announcement(target)}\n`);
  if (!(await hasConsent(target, flags.yes === true))) {
    process.stderr.write('Nothing was sent.\n');
    return EXIT.no;
  }
  const width = Math.max(...selectDoctorChecks(options).map(({ id }) => id.length));
  const report = createReport(width, output.colours);
  const clear = process.stderr.isTTY ? CLEAR_LINE : '';
  const stop = new AbortController();
  onStopSignal(process, { first: () => stop.abort(), again: () => process.exit(EXIT.no) });
  const progress: DoctorProgress = {
    signal: stop.signal,
    onCheckStart({ id }, place, of) {
      if (clear) process.stderr.write(`${clear}${place}/${of} ${id} …`);
    },
    onCheckDone(result) {
      process.stderr.write(clear);
      if (!output.json) process.stdout.write(`${report.row(result)}\n`);
    },
  };
  if (!output.json) process.stdout.write('\n');
  const examination = await examineReceiver(target, options, progress);
  const counts = countsOf(examination.results);
  const stopped = stop.signal.aborted;
  const ok = counts.fail === 0 && !stopped;
  const data = { url: redactSecrets(target.url, target), ok, stopped, counts, ...examination };
  if (stopped) process.stderr.write('Stopped before everything was tested.\n');
  process.stdout.write(`${output.json ? JSON.stringify(data) : report.summary(examination)}\n`);
  return ok ? EXIT.ok : EXIT.no;
}
