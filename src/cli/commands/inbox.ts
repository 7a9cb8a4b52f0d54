import type { Command } from 'commander';
import { registerQueue } from '../queues/register-queue.js';

/** Adds `inbox`: the events that came and are not handled. */
export function registerInbox(program: Command): void {
  registerQueue(program, {
    queue: 'inbox',
    summary: 'look after events that are stored and not handled',
    description:
      'The inbox keeps every event that was answered 200 until its handlers have finished. One whose handlers fail too often is parked as dead; later events of its conversation go on.',
    again: 'Its handlers run before what waits of its conversation, within a second where a server runs.',
  });
}
