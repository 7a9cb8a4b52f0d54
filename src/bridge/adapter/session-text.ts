import { routeFacts } from '../route-handoff.js';
import type { HandoffSession } from './adapter-types.js';
import { transcriptText } from './text.js';

const TRANSCRIPT_HEADING = '\n\nSaid before:\n\n';

/**
 * The first message of a conversation, for helpdesks that show agents one text: who the user is, the route and the transcript.
 * The oldest parts of a long transcript are left out.
 *
 * @example
 * const text = sessionText(session, { maxLength: 10_000 });
 * // [handoff] This user asks for a human.
 * // User: ada
 * //
 * // Said before:
 * //
 * // Customer: Where is my parcel?
 */
export function sessionText(
  session: Pick<HandoffSession, 'user' | 'botId' | 'transcript' | 'route'>,
  { maxLength }: { readonly maxLength: number },
): string {
  const { user, botId, transcript } = session;
  const facts = [
    ['User', user.userId],
    ['Anonymous user', user.anonymousId],
    ['E-mail', user.email],
    ['Phone', user.phone],
    ['Agent that hands over', botId],
    ...routeFacts(session),
  ]
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${value}`);
  const head = ['[handoff] This user asks for a human.', ...facts].join('\n').slice(0, maxLength / 2);
  const before = transcriptText(transcript, {
    maxLength: maxLength - head.length - TRANSCRIPT_HEADING.length,
  });
  return before === '' ? head : `${head}${TRANSCRIPT_HEADING}${before}`;
}
