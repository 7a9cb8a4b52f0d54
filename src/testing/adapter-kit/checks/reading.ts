import { isDeepStrictEqual } from 'node:util';
import { AdapterError, type InboundRequest } from '../../../bridge/index.js';
import { agentsRequest } from '../agents-request.js';
import type { Check } from '../check.js';
import { found, saying } from '../failure.js';
import { newSession, type Rig } from '../rig.js';
import { watched } from '../watched.js';

/** What `verify` and `parse` make of requests. */
export const readingChecks: readonly Check[] = [
  {
    id: 'pure',
    title: 'verify and parse are pure',
    expected: 'the same outcome for the same request, whatever the time is, with no request to anybody.',
    advice:
      'read request and settings only: request.receivedAt is the time that counts, and ids come from the body, not from a counter or randomUUID.',
    async run(rig) {
      const { adapter, request } = await agentsRequest(rig);
      for (const verb of ['verify', 'parse'] as const) {
        const first = once(rig, verb, () => adapter[verb](copyOf(request)), 0);
        const again = once(rig, verb, () => adapter[verb](copyOf(request)), YEAR_MS);
        if (first instanceof Promise) found(`${verb} returned a promise.`);
        if (!isDeepStrictEqual(first, again)) found(`${verb} said two things of one request.`);
        const kept = copyOf(request);
        adapter[verb](kept);
        if (!isDeepStrictEqual(kept, request)) found(`${verb} changed the request that it was given.`);
      }
    },
  },
  {
    id: 'unreadable',
    title: 'a request that cannot be read is told as invalid',
    expected:
      'no events, or an AdapterError of kind "invalid", for bodies that are cut off, empty or of another shape.',
    advice: 'check the shape of what was parsed before you look into it.',
    async run(rig) {
      const { adapter, request } = await agentsRequest(rig);
      for (const [name, body] of Object.entries(unreadable(request))) {
        try {
          const { events } = adapter.parse({ ...request, body });
          if (events.length > 0) found(`parse made an event of a body that is ${name}.`);
        } catch (error) {
          if (!(error instanceof AdapterError))
            found(`of a body that is ${name}, parse threw ${saying(error)}`, error);
          if (error.kind !== 'invalid') found(`of a body that is ${name}, parse said "${error.kind}".`);
        }
      }
    },
  },
  {
    id: 'joined',
    title: 'an agent who takes the conversation is told',
    needs: ['join'],
    expected: 'an event of kind "joined" for the conversation.',
    advice: 'have parse or poll turn an assignment into { kind: "joined" } with the name of the agent.',
    async run(rig) {
      const adapter = await rig.make();
      const { externalId } = await adapter.open(newSession(), rig.call);
      const ear = await rig.listen(adapter);
      await rig.system.agent.join?.(externalId);
      await ear.until(
        'an event of kind "joined"',
        ({ event }) => event.kind === 'joined' && event.externalId === externalId,
      );
    },
  },
];

const YEAR_MS = 365 * 86_400_000;

function once<Value>(rig: Rig, verb: string, act: () => Value, aheadMs: number): Value {
  const before = rig.proxy.requests.length;
  const { value, asked } = watched(act, aheadMs);
  if (asked > 0 || rig.proxy.requests.length > before) found(`${verb} made a request.`);
  return value;
}

/** Frozen as far as it can be: bytes cannot. */
const copyOf = (request: InboundRequest): InboundRequest =>
  Object.freeze({
    ...request,
    headers: Object.freeze({ ...request.headers }),
    body: Buffer.from(request.body),
  });

const unreadable = ({ body }: InboundRequest) => ({
  empty: Buffer.alloc(0),
  'cut off': body.subarray(0, Math.floor(body.length / 2)),
  'an empty object': Buffer.from('{}'),
  'a list': Buffer.from('[1]'),
  null: Buffer.from('null'),
  'bytes that are no text': Buffer.from([0xff, 0xfe, 0x00]),
});
