import type { WireBody } from './deliveries.js';

/** Makes another body of one. */
export type Vary = (body: WireBody) => WireBody;

/** A body with these fields, in place of those of the same name. */
export const having =
  (fields: WireBody): Vary =>
  (body) => ({ ...body, ...fields });

/** A body without these fields. */
export const lacking =
  (...names: readonly string[]): Vary =>
  (body) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
