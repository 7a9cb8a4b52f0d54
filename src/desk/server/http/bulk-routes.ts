import { z } from 'zod';
import { HandoffKitError, type Log } from '../../../internal/index.js';
import { type BulkAction, type BulkFailure, bulkResult } from '../../api.js';
import type { RejectionLog } from '../audit.js';
import { DeskError } from '../errors.js';
import type { ActOnConversation } from './act-on-conversation.js';
import type { AgentRoutes } from './agent-routes.js';

const ACTIONS = [
  'claim',
  'transfer',
  'pass',
  'tag',
  'snooze',
  'close',
] as const satisfies readonly BulkAction[];

const bulkRequest = z.object({
  ids: z.array(z.string().min(1).max(200)).min(1).max(100),
  action: z.enum(ACTIONS),
  input: z.record(z.string(), z.unknown()),
});

/**
 * Adds the route for actions on several conversations. Each is checked and logged separately: one that
 * fails does not undo the others.
 */
export function addBulkRoutes(
  routes: AgentRoutes,
  {
    act,
    rejections,
    log,
  }: { readonly act: ActOnConversation; readonly rejections: RejectionLog; readonly log: Log },
): void {
  routes.change(
    'post',
    '/api/bulk',
    'answer',
    { summary: 'One action on up to a hundred conversations', body: bulkRequest, answer: bulkResult },
    async ({ agent, body: { ids, action, input } }, { ip }) => {
      const done: string[] = [];
      const failed: BulkFailure[] = [];
      for (const id of new Set(ids)) {
        try {
          await act(agent, id, action, input);
          done.push(id);
        } catch (error) {
          failed.push({ id, ...failureOf(error) });
          const path = `/api/conversations/${id}/${action}`;
          if (error instanceof DeskError)
            await rejections.write({ agent: agent.id, reason: error.code, path, ip });
          else log.error({ err: error, path }, 'the desk failed');
        }
      }
      return { done, failed };
    },
  );
}

const failureOf = (error: unknown): Pick<BulkFailure, 'code' | 'message'> =>
  error instanceof HandoffKitError
    ? { code: error.code, message: error.message }
    : { code: 'FAILED', message: 'Something went wrong. Try again.' };
