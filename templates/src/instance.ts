import { buildReceiver, settings } from './receiver.js';

type Built = ReturnType<typeof buildReceiver>;

/** Next bundles routes and instrumentation apart from each other: both get the same receiver. */
const shared = globalThis as typeof globalThis & { handoff?: Built };

/** The receiver of this process, created when it is first needed: a build has no settings. */
export function instance(): Built {
  shared.handoff ??= buildReceiver({ ...settings(), basePath: '/webhook' });
  return shared.handoff;
}
