import { z } from 'zod';
import type { ActionName, Actions } from '../api.js';
import { DeskRefusal } from '../refuse.js';

const nothing = z.object({});
const id = z.string().min(1).max(200);
const text = z.string().max(100_000);

const ACTIONS: { [Name in ActionName]: z.ZodType<Actions[Name]> } = {
  claim: nothing,
  release: nothing,
  transfer: z.object({ to: id }),
  reply: z.object({ messageId: id, text }),
  retry: z.object({ messageId: id }),
  note: z.object({ text }),
  close: nothing,
  read: z.object({ customerMessages: z.int().min(0) }),
};

/** Whether there is such an action. */
export const isAction = (name: string): name is ActionName => Object.hasOwn(ACTIONS, name);

/** What an action takes, read from a body. */
export function readAction<Name extends ActionName>(name: Name, body: unknown): Actions[Name] {
  return readBody<Actions[Name]>(ACTIONS[name], body);
}

/** A new list of canned replies. */
export const cannedList = z
  .array(z.object({ id, title: z.string().min(1).max(200), text: z.string().min(1).max(20_000) }))
  .max(500);

/** A pair to teach. */
export const teachRequest = z.object({
  question: z.string().trim().min(1).max(5_000),
  answer: z.string().trim().min(1).max(20_000),
  seen: z.int().min(0),
});

/** Who wants to log in. */
export const loginRequest = z.object({ name: z.string().max(200), password: z.string().max(1_000) });

/** Reads a body by its schema; what does not fit is refused without saying what it held. */
export function readBody<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const { data, success } = schema.safeParse(body);
  if (!success) throw new DeskRefusal('INVALID');
  return data;
}
