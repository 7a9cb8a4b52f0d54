import type { Receiver } from 'handoff-kit';
import { createDesk } from 'handoff-kit/desk';

/** The desk's path in the browser. */
export const HELPDESK_PATH = '/desk';

/** Agents answer at the desk. `npm run add-agent -- ann` creates a login. */
export function connectHelpdesk(receiver: Receiver) {
  const desk = createDesk({ receiver, agents: 'stored' });
  return { webhook: desk, close: () => desk.close() };
}
