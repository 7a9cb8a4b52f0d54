import { type HandoffSession, transcriptText } from '../../bridge/index.js';

/** Before everything that stands in the contact's name and was not said by the user. */
const MARK = '[handoff]';

/** Something to tell the agents, marked so that nobody takes it for the user's words. */
export const marked = (text: string): string => `${MARK} ${text}`;

/**
 * What agents read first: who it is and what was said before. The public API has no notes, and shows custom
 * attributes only where an administrator has defined them, so it is a message.
 */
export function firstMessage({ user, botId, transcript }: HandoffSession, maxLength: number): string {
  const facts = [
    ['User', user.userId],
    ['Anonymous user', user.anonymousId],
    ['E-mail', user.email],
    ['Phone', user.phone],
    ['Agent that hands over', botId],
  ]
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name}: ${value}`);
  const head = [marked('This user asks for a human.'), ...facts].join('\n').slice(0, maxLength / 2);
  const said = transcriptText(transcript, { maxLength: maxLength - head.length - SAID_BEFORE.length });
  return said === '' ? head : `${head}${SAID_BEFORE}${said}`;
}

const SAID_BEFORE = '\n\nSaid before:\n\n';
