import { type PlatformFailure, parameterError } from '../error.js';

/** Reads an object's fields. A wrong field throws a refusal with its path and the expected value. */
export interface Fields {
  /** A non-empty string. */
  text: (name: string) => string;
  /** The same, or missing. */
  optionalText: (name: string) => string | undefined;
  /** A string that may be empty or missing. */
  optionalString: (name: string) => string | undefined;
  url: (name: string) => string;
  /** An integer of at least `least`. */
  integer: (name: string, least: number) => number;
  /** The same, or missing. */
  optionalInteger: (name: string, least: number) => number | undefined;
  /** The elements of a list of objects; none if the field is missing. */
  list: (name: string) => Fields[];
  /** A refusal, for rules about several fields. */
  refusal: (name: string, problem: string) => PlatformFailure;
}

/** `path` is the object's place in the body. */
export function readFields(value: unknown, path = ''): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw parameterError(`${path || 'body'}: expected an object`);
  const fields = new Map<string, unknown>(Object.entries(value));
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  const refusal = (name: string, problem: string) => parameterError(`${pathOf(name)}: ${problem}`);

  const required = <Value>(name: string, found: Value | undefined): Value => {
    if (found === undefined) throw refusal(name, 'required');
    return found;
  };
  const optionalString = (name: string): string | undefined => {
    const found = fields.get(name);
    if (found === undefined || typeof found === 'string') return found;
    throw refusal(name, 'expected a string');
  };
  const optionalText = (name: string): string | undefined => {
    const found = optionalString(name);
    if (found === '') throw refusal(name, 'expected some text');
    return found;
  };
  const text = (name: string): string => required(name, optionalText(name));
  const optionalInteger = (name: string, least: number): number | undefined => {
    const found = fields.get(name);
    if (found === undefined) return undefined;
    if (typeof found === 'number' && Number.isSafeInteger(found) && found >= least) return found;
    throw refusal(name, `expected an integer of at least ${least}`);
  };
  return {
    text,
    optionalText,
    optionalString,
    url(name) {
      const found = text(name);
      if (!URL.canParse(found)) throw refusal(name, 'expected a URL');
      return found;
    },
    integer: (name, least) => required(name, optionalInteger(name, least)),
    optionalInteger,
    list(name) {
      const found = fields.get(name);
      if (found === undefined) return [];
      if (!Array.isArray(found)) throw refusal(name, 'expected a list');
      return found.map((item: unknown, index) => readFields(item, `${pathOf(name)}[${index}]`));
    },
    refusal,
  };
}
