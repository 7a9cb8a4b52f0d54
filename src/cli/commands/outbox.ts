import type { Command } from 'commander';
import { defineQueue } from '../queues.js';

/** `outbox`: the stored replies and closes. */
export function define(command: Command): void {
  defineQueue(command, {
    queue: 'outbox',
    description:
      'The outbox stores every reply and close until the platform has accepted it. One that the platform rejects for good, or that cannot be sent for a day, becomes a dead letter; later ones of its conversation continue.',
    retryEffect:
      "The user may have seen the reply already if the platform's answer was lost. A dead letter is sent before the other waiting replies of its conversation, within a second if a server runs.",
  });
}
