import { z } from 'zod';
import type { InboundEvent } from '../adapter/adapter-types.js';
import { asObject } from '../adapter/checks.js';
import type { BridgeContext } from '../bridge-context.js';

/** Helpdesks have numbers for ids, and adapters in JavaScript may pass them on. */
const id = z.union([z.string().min(1), z.number().transform(String)]);
const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

const base = z.looseObject({
  id,
  externalId: id,
  author: z.looseObject({ kind: z.enum(['agent', 'self', 'user', 'system']), name: orNull(z.string()) }),
});
const attachment = z.looseObject({
  name: z.string(),
  contentType: orNull(z.string()),
  url: orNull(z.string()),
});
const inboundEvent = z.discriminatedUnion('kind', [
  base.extend({
    kind: z.literal('message'),
    text: z.string(),
    internal: z.boolean(),
    messageId: orNull(id),
    attachments: z.array(attachment).optional(),
  }),
  base.extend({ kind: z.literal('joined') }),
  base.extend({ kind: z.literal('closed') }),
]);

/**
 * The events that an adapter returned. One that is malformed, or of a kind that the bridge does not know, is logged and
 * left out: it would fail each time it came again, and keep the events behind it from the user.
 */
export function readEvents(
  { adapter, counters, log }: Pick<BridgeContext, 'adapter' | 'counters' | 'log'>,
  events: readonly InboundEvent[],
): InboundEvent[] {
  const read: InboundEvent[] = [];
  for (const event of events) {
    const parsed = inboundEvent.safeParse(event);
    if (parsed.success) {
      read.push(parsed.data as InboundEvent);
      continue;
    }
    const { id: eventId, externalId } = asObject(event);
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'event'}: ${message}`,
    );
    counters.count('dropped');
    log.error(
      { eventId, externalId, problems },
      `the adapter ${adapter.name} returned a malformed event, which is dropped: correct the adapter`,
    );
  }
  return read;
}
