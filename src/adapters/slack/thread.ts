import {
  AdapterError,
  asText,
  type ConversationRef,
  type JsonObject,
  type OpenedConversation,
} from '../../bridge/index.js';
import type { CheckedSettings } from './settings.js';

/** A thread is identified by its channel and the timestamp of its first message, which is that message's id. */
export interface Thread {
  readonly channel: string;
  readonly ts: string;
}

/** Seconds, and a counter that makes the timestamp unique in its channel. */
const TS = /^\d{1,12}\.\d{1,10}$/;

/** Whether a text is a Slack timestamp. */
export const isTs = (text: string): boolean => TS.test(text);

/** The external id of a thread. */
export const externalIdOf = ({ channel, ts }: Thread): string => `${channel}:${ts}`;

/** The thread of an open conversation. */
export function threadOf({ externalId }: Pick<ConversationRef, 'externalId'>): Thread {
  const [channel = '', ts = ''] = externalId.split(':');
  if (channel === '' || !isTs(ts)) {
    throw new AdapterError(
      'invalid',
      'slack: this conversation was not opened by the Slack adapter: its id is no thread.',
    );
  }
  return { channel, ts };
}

/** A thread as `open` and `find` return it. */
export function toOpened(thread: Thread, { teamUrl }: Pick<CheckedSettings, 'teamUrl'>): OpenedConversation {
  const externalId = externalIdOf(thread);
  if (teamUrl === null) return { externalId };
  return { externalId, url: `${teamUrl}/archives/${thread.channel}/p${thread.ts.replace('.', '')}` };
}

/** The timestamp of a posted message. */
export function timestampOf({ ts }: JsonObject): string {
  const text = asText(ts);
  if (isTs(text)) return text;
  throw new AdapterError('transient', "Slack's response has no message timestamp.");
}
