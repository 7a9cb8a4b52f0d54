import type { ClosedBy } from '../../../api.js';
import { type TextName, t } from '../strings/index.js';

const CLOSED_BY = {
  user: 'eventClosedUser',
  timeout: 'eventClosedTimeout',
  agent: 'eventClosedAgent',
  system: 'eventClosedSystem',
} as const satisfies Record<ClosedBy, TextName>;

/** Says who ended a conversation. */
export function endedText(
  { by, agent }: { readonly by: ClosedBy; readonly agent: string | null },
  nameOf: (id: string | null) => string | null,
): string {
  return t(CLOSED_BY[by], { agent: nameOf(agent) ?? '' });
}
