import type { AgentView, TeamView } from '../api.js';

/** A name that a mention was found by, and the agents it stands for. */
interface MentionName {
  readonly name: string;
  readonly agents: readonly string[];
}

/** More mentions than a note has; each is compared with all names. */
const MAX_SIGNS = 100;

/**
 * The ids of the agents that a note mentions: `@` and the name or id of an agent, or the name of a team. Of names that
 * begin alike, the longest wins. An e-mail address is not a mention.
 */
export function mentionsIn(
  text: string,
  agents: readonly AgentView[],
  teams: readonly TeamView[],
): readonly string[] {
  const known = new Set(agents.map(({ id }) => id));
  const names: readonly MentionName[] = [
    ...agents.flatMap(({ id, name }) => [name, id].map((each) => ({ name: each, agents: [id] }))),
    ...teams.map(({ name, members }) => ({ name, agents: members.filter((id) => known.has(id)) })),
  ];
  const lower = text.toLowerCase();
  const found = new Set<string>();
  const signs = Array.from(lower.matchAll(/(?<![a-z0-9])@/g)).slice(0, MAX_SIGNS);
  for (const { index: at } of signs) {
    const matches = names.filter(({ name }) => isAt(lower, at + 1, name.toLowerCase()));
    const longest = Math.max(0, ...matches.map(({ name }) => name.length));
    for (const { name, agents: ids } of matches)
      if (name.length === longest) for (const id of ids) found.add(id);
  }
  return [...found].sort();
}

const WORD = /[\p{L}\p{N}]/u;
/** Chinese and Japanese have no spaces: a name may end in the middle of a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;

function isAt(text: string, at: number, name: string): boolean {
  if (name === '' || !text.startsWith(name, at)) return false;
  const next = text.slice(at + name.length, at + name.length + 1);
  return UNSPACED.test(name) || !WORD.test(next);
}
