import { buildReceiver, settings } from './receiver.js';

type Built = ReturnType<typeof buildReceiver>;

/** Global, because Next bundles routes and instrumentation separately. */
const shared = globalThis as typeof globalThis & { handoff?: Built };

/** Created on first use, because a build has no settings. */
export function instance(): Built {
  shared.handoff ??= buildReceiver({ ...settings(), basePath: '/webhook' });
  return shared.handoff;
}
