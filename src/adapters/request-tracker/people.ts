import type { AdapterCall } from '../../bridge/index.js';
import type { Person } from './happening.js';
import type { Rest } from './rest.js';
import { idOf, isSet, listOf, textOf } from './shape.js';

const MOST_KNOWN = 1_000;
const KNOWN_FOR_MS = 600_000;

/** Who somebody is, by login name or number. */
export type People = (nameOrId: string, call: AdapterCall) => Promise<Person>;

/** Looks users of RT up, and remembers them for some minutes. */
export function createPeople(rest: Rest, now: () => number = Date.now): People {
  const known = new Map<string, { readonly person: Person; readonly until: number }>();
  return async (nameOrId, call) => {
    const remembered = known.get(nameOrId);
    if (remembered && remembered.until > now()) return remembered.person;
    const { body } = await rest({ method: 'GET', path: `/user/${encodeURIComponent(nameOrId)}` }, call);
    // Of others RT tells a summary only, in which the number stands in a link.
    const self = listOf(body._hyperlinks).find(({ ref }) => ref === 'self');
    const person: Person = {
      id: idOf(body.id) ?? idOf(self?.id) ?? '',
      login: textOf(body.Name),
      realName: textOf(body.RealName),
      isPrivileged: isSet(body.Privileged),
    };
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(nameOrId, { person, until: now() + KNOWN_FOR_MS });
    return person;
  };
}
