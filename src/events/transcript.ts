import type { HandoffRequest } from '../protocol/index.js';

/** One thing said before the handoff. */
export interface TranscriptItem {
  /** Who said it; `other` for a kind that the contract does not name. */
  readonly from: 'user' | 'agent' | 'other';
  /** What was said; an agent's answer can be empty. */
  readonly text: string;
}

/** What user and agent said before the handoff, in order. */
export function transcriptOf(request: HandoffRequest): TranscriptItem[] {
  return request.body.map(({ text, message_type }) => ({ from: speaker(message_type), text }));
}

function speaker(messageType: string | null): TranscriptItem['from'] {
  if (messageType === 'QUESTION') return 'user';
  if (messageType === 'ANSWER') return 'agent';
  return 'other';
}
