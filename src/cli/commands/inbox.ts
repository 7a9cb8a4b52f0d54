import type { Command } from 'commander';
import { defineQueue } from '../queues/define-queue.js';

/** `inbox`: the events that came and are not handled. */
export function define(command: Command): void {
  defineQueue(command, {
    queue: 'inbox',
    description:
      'The inbox keeps every event that was answered 200 until its handlers have finished. One whose handlers fail too often is parked as dead; later events of its conversation go on.',
    again: 'Its handlers run before what waits of its conversation, within a second where a server runs.',
  });
}
