import { z } from 'zod';
import { DEFAULT_BOT } from '../../../events/index.js';
import { type ActionInputs, type ActionName, inboxViewName, priority } from '../../api.js';
import { DeskError } from '../errors.js';

const noInput = z.object({});
const id = z.string().min(1).max(200);
const text = z.string().max(100_000);

const tags = z.array(z.string().trim().min(1).max(40)).max(20);

/** The bodies of `POST api/conversations/:id/<action>`. */
export const ACTION_SCHEMAS: { [Name in ActionName]: z.ZodType<ActionInputs[Name]> } = {
  claim: noInput,
  release: noInput,
  transfer: z.object({ to: id }),
  pass: z.object({ team: id }),
  reply: z.object({ messageId: id, text }),
  retry: z.object({ messageId: id }),
  note: z.object({ messageId: id, text }),
  tag: z.object({ add: tags, remove: tags }),
  priority: z.object({ priority }),
  snooze: z.object({ until: z.int().min(0).nullable() }),
  close: noInput,
  read: z.object({ customerMessages: z.int().min(0), mentions: z.int().min(0).optional() }),
};

/** Whether a string is the name of an action. */
export const isAction = (name: string): name is ActionName => Object.hasOwn(ACTION_SCHEMAS, name);

/** Reads the input of an action from a body. */
export function readAction<Name extends ActionName>(name: Name, body: unknown): ActionInputs[Name] {
  return readBody<ActionInputs[Name]>(ACTION_SCHEMAS[name], body);
}

/** The body of `PUT api/canned`. */
export const cannedChange = z.object({
  replies: z
    .array(z.object({ id, title: z.string().min(1).max(200), text: z.string().min(1).max(20_000) }))
    .max(500),
  version: z.int().min(0),
});

/** The body of `POST api/presence`. */
export const presenceRequest = z.object({ conversation: id.nullable(), isTyping: z.boolean() });

/** The body of `PUT api/filters`. */
export const filterList = z.object({
  filters: z
    .array(
      z.object({
        id,
        name: z.string().trim().min(1).max(60),
        view: inboxViewName,
        bot: z.string().max(100).nullable(),
        tag: z.string().max(40).nullable(),
        priority: priority.nullable(),
      }),
    )
    .max(30),
});

/** The body of `POST api/teach`. */
export const teachRequest = z.object({
  question: z.string().trim().min(1).max(5_000),
  answer: z.string().trim().min(1).max(20_000),
  instead: z.string().max(5_000).optional(),
  seen: z.int().min(0),
  bot: z.string().max(100).default(DEFAULT_BOT),
});

/** The body of `POST api/teach/remove`. */
export const unteachRequest = teachRequest.pick({ question: true, seen: true, bot: true });

/** The body of `POST login`. */
export const loginRequest = z.object({
  name: z.string().max(200),
  password: z.string().max(1_000),
  /** The code of an authenticator app, or a recovery code. */
  code: z.string().max(50).default(''),
});

/** A number in a query; one that cannot be read is ignored. */
export const queryNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)
  .optional()
  .catch(undefined);

/** A text in a query, cut to the length of a search. */
export const queryText = z
  .string()
  .transform((given) => given.slice(0, 200))
  .optional()
  .catch(undefined);

/** Validates a body or a query. The error names the invalid fields, not their values. */
export function readBody<Value>(schema: z.ZodType<Value>, body: unknown): Value {
  const { data, success, error } = schema.safeParse(body);
  if (success) return data;
  throw new DeskError('INVALID', { fields: error.issues.map(({ path }) => path.join('.') || 'body') });
}
