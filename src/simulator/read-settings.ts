import { z } from 'zod';
import { SimulatorError, type SimulatorErrorCode } from './error.js';

/** Reads settings with their schema. The error names the wrong fields, never their values. */
export function readSettings<Schema extends z.ZodType>(
  code: SimulatorErrorCode,
  schema: Schema,
  settings: unknown,
  subject = '',
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(settings);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) =>
    path.length > 0 ? `${z.core.toDotPath(path)}: ${message}` : message,
  );
  throw new SimulatorError(code, `${subject}${problems.join('; ')}`);
}
