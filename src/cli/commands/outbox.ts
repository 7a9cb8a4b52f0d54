import type { Command } from 'commander';
import { defineQueue } from '../queues/define-queue.js';

/** `outbox`: the replies that are stored and not with the service. */
export function define(command: Command): void {
  defineQueue(command, {
    queue: 'outbox',
    description:
      'The outbox keeps every reply and close until the service has it. One that the service refuses for good, or that cannot be sent for a day, is parked as dead; later ones of its conversation go on.',
    again:
      'Mind that the user may have seen it: where the answer of the service was lost, nobody knows. It is sent before what waits of its conversation, within a second where a server runs.',
  });
}
