import { AdapterError, type ConversationRef, type OpenedConversation } from '../../bridge/index.js';
import type { Slack } from './settings.js';

/** Where a thread is: its channel, and the time stamp of its first message, which is that message's id. */
export interface Thread {
  readonly channel: string;
  readonly ts: string;
}

/** A time stamp as Slack writes it: seconds, and a part that makes it unique in its channel. */
const TS = /^\d{1,12}\.\d{1,10}$/;

/** Whether a text is a time stamp of Slack. */
export const isTs = (text: string): boolean => TS.test(text);

/** The id of a thread outside this folder. */
export const externalIdOf = ({ channel, ts }: Thread): string => `${channel}:${ts}`;

/** The thread of a conversation that was opened. */
export function threadOf({ externalId }: Pick<ConversationRef, 'externalId'>): Thread {
  const [channel = '', ts = ''] = externalId.split(':');
  if (channel === '' || !isTs(ts)) {
    throw new AdapterError('invalid', 'slack: the id of the conversation is not one that this adapter gave.');
  }
  return { channel, ts };
}

/** A thread as `open` and `find` give it. */
export function openedOf(thread: Thread, { teamUrl }: Pick<Slack, 'teamUrl'>): OpenedConversation {
  const externalId = externalIdOf(thread);
  if (teamUrl === null) return { externalId };
  return { externalId, url: `${teamUrl}/archives/${thread.channel}/p${thread.ts.replace('.', '')}` };
}
