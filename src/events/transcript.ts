import type { HandoffRequest } from '../protocol/index.js';

/** One message before the handoff. */
export interface TranscriptItem {
  /** The author; `other` for a type that the contract does not name. */
  readonly from: 'user' | 'bot' | 'other';
  /** The text; a bot's answer can be empty. */
  readonly text: string;
}

/** The messages before the handoff, in order. */
export function transcriptOf(request: HandoffRequest): TranscriptItem[] {
  return request.body.map(({ text, message_type }) => ({ from: speaker(message_type), text }));
}

function speaker(messageType: string | null): TranscriptItem['from'] {
  if (messageType === 'QUESTION') return 'user';
  if (messageType === 'ANSWER') return 'bot';
  return 'other';
}
