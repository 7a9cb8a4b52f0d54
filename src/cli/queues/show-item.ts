import type { QueueName, StoredItemDetails, StoredQueues } from '../../delivery/index.js';
import { HandoffKitError } from '../../internal/index.js';
import { printable } from '../../standalone/index.js';
import { EXIT } from '../exit.js';
import type { Output } from '../output.js';
import { print } from '../run-command.js';
import { table } from '../table.js';
import type { DatabaseFlags } from './database-flags.js';
import { hideText } from './hide-text.js';

/** What the command line says of one item. */
export interface ShowFlags extends DatabaseFlags {
  readonly showText?: boolean;
}

/** Shows one item with what is in it; what people wrote only where that was asked for. */
export async function showItem(
  queue: QueueName,
  id: string,
  { showText = false }: ShowFlags,
  queues: StoredQueues,
  output: Output,
): Promise<number> {
  const found = await queues.show(queue, id);
  if (!found) {
    throw new HandoffKitError(
      'NO_SUCH_ITEM',
      `the ${queue} has no item ${printable(id)}. See: handoff-kit ${queue} list`,
    );
  }
  const item = showText ? found : { ...found, content: hideText(found.content) };
  print(output, item, textOf(item, showText));
  return EXIT.ok;
}

function textOf(item: StoredItemDetails, showText: boolean): string {
  const facts = table([
    ['id', item.id],
    ['state', item.state],
    ['since', item.createdAt.toISOString()],
    ['conversation', printable(item.conversationId)],
    ['what', item.what],
    ['attempts', String(item.attempts)],
    ['last error', printable(item.error ?? 'none')],
  ]);
  return [facts, '', ...contentLines(item.content, showText)].join('\n');
}

function contentLines(content: unknown, showText: boolean): string[] {
  if (content === null) return ['It is done, and its content is gone.'];
  const lines = JSON.stringify(content, null, 2).split('\n').map(printable);
  return showText ? lines : [...lines, '', 'What people write is not shown; --show-text shows it.'];
}
