import type { Adapter, InboundRequest } from '../../../bridge/index.js';
import { agentsRequest } from '../agents-request.js';
import { type Changed, changedRequests } from '../changed-requests.js';
import type { Check } from '../check.js';
import { found } from '../failure.js';
import type { Rig } from '../rig.js';

const HOUR_MS = 3_600_000;

/** What `verify` must refuse. */
export const signingChecks: readonly Check[] = [
  {
    id: 'signature-wrong',
    title: 'a wrong signature is refused',
    needs: ['signature'],
    expected: 'verify says "forged" when what the system signs with is changed.',
    advice: 'compare the whole signature, and in constant time: verifySignature does both.',
    run: (rig) => refuses(rig, 'wrongSignature'),
  },
  {
    id: 'signature-missing',
    title: 'a missing signature is refused',
    needs: ['signature'],
    expected: 'verify says "unsigned" or "forged" when the signature is left out.',
    advice: 'a request without a signature is not genuine: verifySignature says "unsigned".',
    run: (rig) => refuses(rig, 'unsigned'),
  },
  {
    id: 'signature-body',
    title: 'a changed body is refused',
    needs: ['signature', 'signedBody'],
    expected: 'verify says "forged" when a single character of the body is changed.',
    advice: 'sign the raw bytes of request.body, not what was parsed from them.',
    run: (rig) => refuses(rig, 'changedBody'),
  },
  {
    id: 'signature-stale',
    title: 'a stale signature is refused',
    needs: ['signature', 'signedTime'],
    expected: 'verify says "stale" of a genuine request that came an hour late.',
    advice: 'hold the time that was signed against request.receivedAt: verifySignature takes both.',
    async run(rig) {
      const { adapter, request } = await signed(rig);
      const late = { ...request, receivedAt: request.receivedAt + HOUR_MS };
      const verdict = adapter.verify(late);
      if (verdict === 'genuine') found('verify says "genuine".');
    },
  },
];

async function refuses(rig: Rig, change: keyof Changed): Promise<void> {
  const { adapter, request } = await signed(rig);
  for (const changed of changedRequests(request)[change]) {
    if (adapter.verify(changed) === 'genuine') found('verify says "genuine".');
  }
}

async function signed(
  rig: Rig,
): Promise<{ adapter: Required<Pick<Adapter, 'verify'>>; request: InboundRequest }> {
  const { adapter, request } = await agentsRequest(rig);
  if (adapter.verify(request) !== 'genuine') found('verify refuses a request that the system sent itself.');
  return { adapter, request };
}
