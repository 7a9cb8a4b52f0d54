import type { Command } from 'commander';
import { defineQueue } from '../queues.js';

/** `inbox`: the stored events. */
export function define(command: Command): void {
  defineQueue(command, {
    queue: 'inbox',
    description:
      'The inbox stores every event that was answered 200 until its handlers have finished. An event whose handlers fail too often becomes a dead letter; later events of its conversation continue.',
    retryEffect:
      'The handlers of a dead letter run before the other waiting events of its conversation, within a second if a server runs.',
  });
}
