import type { Response } from 'express';
import { z } from 'zod';
import type { AssistPiece, AssistRequest } from '../../api.js';
import type { Assist } from '../assist/assist.js';
import { DeskError } from '../errors.js';
import type { AgentRoutes } from './agent-routes.js';

const language = z.string().regex(/^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/);

/** The body of `POST api/assist/:id`. */
const assistRequest: z.ZodType<AssistRequest> = z.discriminatedUnion('task', [
  z.object({ task: z.literal('draft') }),
  z.object({ task: z.literal('summary'), language }),
  z.object({
    task: z.literal('translation'),
    language: z.union([z.literal('customer'), language]),
    text: z.string().trim().min(1).max(10_000),
  }),
]);

/** Adds the route of the assistant, which answers in lines of JSON as the model writes. */
export function addAssistRoutes(routes: AgentRoutes, assist: Assist): void {
  routes.change(
    'post',
    '/api/assist/:id',
    'answer',
    {
      summary:
        'Asks the assistant for a draft, a summary or a translation: lines of JSON, each an `AssistPiece`',
      body: assistRequest,
      answer: 'application/x-ndjson',
    },
    async ({ agent, body }, request, response) => {
      const { id } = request.params;
      const stop = new AbortController();
      response.once('close', () => stop.abort());
      const pieces = assist.run(agent, typeof id === 'string' ? id : '', body, stop.signal);
      try {
        await stream(response, pieces);
      } catch (error) {
        // The agent has closed the page, or does not want the answer any more.
        if (!stop.signal.aborted) throw error;
      }
    },
  );
}

/** An error before the first piece is thrown, to be answered with its status; a later one is the last line. */
async function stream(response: Response, pieces: AsyncGenerator<string, { isCut: boolean }>): Promise<void> {
  const write = (piece: AssistPiece): void => void response.write(`${JSON.stringify(piece)}\n`);
  let next = await pieces.next();
  response.writeHead(200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'x-accel-buffering': 'no',
  });
  try {
    while (!next.done) {
      write({ text: next.value });
      next = await pieces.next();
    }
    write({ done: true, isCut: next.value.isCut });
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    write({ error: error.code });
  } finally {
    response.end();
  }
}
