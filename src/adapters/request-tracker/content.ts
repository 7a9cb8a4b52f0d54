import { type HandoffSession, transcriptText } from '../../bridge/index.js';

/** RT cuts a subject after 200 characters; a list of tickets shows far fewer. */
const LONGEST_SUBJECT = 100;

/** Far below what RT stores, far above what anybody reads. */
const LONGEST_TRANSCRIPT = 200_000;

const GUIDE =
  'Reply to this ticket to answer the customer: replies are sent as plain text. Comments stay among agents. Resolve the ticket to end the conversation.';

/** The subject of a ticket: the customer's first words, unless the settings say otherwise. */
export function subjectOf(
  session: HandoffSession,
  custom: ((session: HandoffSession) => string) | null,
): string {
  const words = custom?.(session) ?? session.transcript.find(saidByUser)?.text ?? '';
  const line = oneLine(words);
  if (line === '') return 'Conversation with a customer';
  if (line.length <= LONGEST_SUBJECT) return line;
  return `${cut(line, LONGEST_SUBJECT - 1)}…`;
}

/** The first message of a ticket: who asks, what agents should know, and what was said before. */
export function firstMessage({ user, botId, conversationId, replyBy, transcript }: HandoffSession): string {
  const facts = [
    ['User id', user.userId],
    ['Anonymous id', user.anonymousId],
    ['E-mail (perhaps a placeholder that others share)', user.email],
    ['Phone', user.phone],
    ['AI agent', botId],
    ['Conversation', conversationId],
    ['First reply due by', replyBy.toISOString()],
  ].flatMap(([name, value]) => (value ? [`${name}: ${oneLine(value)}`] : []));
  const said = transcriptText(transcript, { maxLength: LONGEST_TRANSCRIPT });
  return [
    'A customer asks for a human.',
    facts.join('\n'),
    GUIDE,
    ...(said === '' ? [] : [`What was said before:\n\n${said}`]),
  ].join('\n\n');
}

/** The beginning of a text, never half of what is seen as one character. */
function cut(text: string, length: number): string {
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (kept.length + segment.length > length) break;
    kept += segment;
  }
  return kept;
}

const saidByUser = ({ from, text }: HandoffSession['transcript'][number]): boolean =>
  from === 'user' && text.trim() !== '';

const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
