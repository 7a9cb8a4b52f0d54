import type { Receiver } from 'handoff-kit';
import { createDesk } from 'handoff-kit/desk';

/** The address of the desk in the browser. */
export const HELPDESK_PATH = '/desk';

/** Agents answer at the desk. `npm run add-agent -- ann` makes a login. */
export function connectHelpdesk(receiver: Receiver) {
  const desk = createDesk({ receiver, agents: 'stored' });
  return { webhook: desk, close: () => desk.close() };
}
