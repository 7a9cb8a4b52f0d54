import { probeBody } from '../../simulator/sending/index.js';
import { atEach, type Check, found, notTestable } from '../check.js';
import { judgeStatus } from '../judge-answer.js';
import { HANDOFF_ENDPOINTS, handoffBase } from '../target.js';

const probe = () => probeBody(Date.now());

/** Availability tests: bodies with `istest`, on every path and on the address the paths are below (4.3). */
export const probeChecks: readonly Check[] = [
  {
    id: 'probe.message',
    group: 'message',
    expects: 'answers an availability test of the message webhook with HTTP 200',
    advice:
      'When a body has "istest": true, answer 200 and do nothing else; look for it before anything is stored.',
    run: (session) =>
      atEach(session, ['message'], async () => [judgeStatus(await session.send('message', probe()))]),
  },
  {
    id: 'probe.root',
    group: 'handoff',
    expects: 'answers an availability test at the base URL of the handoff endpoints with HTTP 200',
    advice:
      'The service tests the URL that is set for the human-service component itself. Answer POST there, too: 200 where the body has "istest": true. Until then its webhook check shows the component as unreachable.',
    run: async (session) => {
      if ((await session.working(HANDOFF_ENDPOINTS)).length === 0) {
        return notTestable('no handoff endpoint took a well-formed delivery');
      }
      const url = handoffBase(session.target);
      return found([judgeStatus(await session.send('chat', probe(), { url }))]);
    },
  },
  {
    id: 'probe.handoff',
    group: 'handoff',
    expects: 'answers an availability test of each handoff endpoint with HTTP 200',
    advice: 'Handoff requests may carry "istest": true, too. Answer 200, and open no conversation.',
    run: (session) =>
      atEach(session, HANDOFF_ENDPOINTS, async (endpoint) => {
        const body = { ...(await session.body(endpoint)), conversation_id: session.newId(), istest: true };
        return [judgeStatus(await session.send(endpoint, body))];
      }),
  },
  {
    id: 'probe.format',
    group: 'handoff',
    expects: 'takes availability tests of the handoff endpoints in the format of agent messages',
    advice:
      'Availability tests come in the standard message format wherever they go. Look for "istest": true before the body is held against what the endpoint expects otherwise.',
    run: (session) =>
      atEach(session, HANDOFF_ENDPOINTS, async (endpoint) => [
        judgeStatus(await session.send(endpoint, probe())),
      ]),
  },
  {
    id: 'probe.effect',
    expects: 'does nothing but answer when it is tested',
    advice: 'Store nothing and call nobody for a body with "istest": true.',
    run: async () =>
      notTestable('what happens inside cannot be seen from here: look that no "availability test" turned up'),
  },
];
