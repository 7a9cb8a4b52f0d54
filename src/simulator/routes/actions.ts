import { type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { HandoffKitError } from '../../internal/index.js';
import { validate } from '../../protocol/index.js';
import type { Customer } from '../customer.js';
import { SimulatorError } from '../error.js';
import { type Faults, isFaultKind } from '../faults.js';
import { isJson, parseJson, readText } from '../http/read-json.js';
import type { SimulatorLog } from '../log.js';

const nothing = z.strictObject({});
const sayBody = z.strictObject({ text: z.string().trim().min(1).max(10_000) });
const handoffBody = z.strictObject({ agentId: z.string().optional(), componentId: z.string().optional() });
const faultBody = z.strictObject({
  kind: z.string().refine(isFaultKind, 'expected the name of a fault'),
  on: z.boolean(),
  settings: z.record(z.string(), z.unknown()).default({}),
});

/** What a person does on the page. Each action takes a JSON object and answers when it is done. */
export function actionRoutes(options: { customer: Customer; faults: Faults; log: SimulatorLog }): Router {
  const { customer, faults, log } = options;

  const action =
    <Schema extends z.ZodType>(schema: Schema, act: (body: z.output<Schema>) => unknown): RequestHandler =>
    async (request, response) => {
      try {
        if (!isJson(request))
          throw new SimulatorError('INVALID_ACTION', 'expected Content-Type application/json');
        await act(validate(schema, parseJson(await readText(request))));
        response.json({ ok: true });
      } catch (error) {
        if (error instanceof HandoffKitError) {
          response.status(400).json({ code: error.code, message: error.message });
          return;
        }
        log.error({ err: error }, 'an action of the page failed');
        response.status(500).json({ code: 'INTERNAL_ERROR', message: 'the simulator failed; see its log' });
      }
    };

  const setFault = ({ kind, on, settings }: z.output<typeof faultBody>) => {
    if (on) faults.setFrom(kind, settings);
    else faults.clear(kind);
  };

  const router = Router();
  router.post(
    '/say',
    action(sayBody, ({ text }) => customer.say(text)),
  );
  router.post(
    '/handoff',
    action(handoffBody, (target) => customer.askForHuman(target)),
  );
  router.post(
    '/close',
    action(nothing, () => customer.close()),
  );
  router.post(
    '/restart',
    action(nothing, () => customer.restart()),
  );
  router.post('/faults', action(faultBody, setFault));
  return router;
}
