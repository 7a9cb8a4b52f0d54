/** Cases that a host cannot support, each with the reason. */
export type LeftOut = Readonly<Record<string, string>>;

const BUFFERED = 'the gateway reads the whole request before it calls the function';
const BUFFERED_CASES: LeftOut = {
  'wrong credentials are refused before the body arrives': BUFFERED,
  'a body whose announced length is too large is refused at once': BUFFERED,
  'a body that takes too long is refused': BUFFERED,
  'a sender that hangs up mid-body gets no answer, and no handler runs': BUFFERED,
};
const NO_PARSER = 'a body that was read before the receiver';
const NO_ADDRESS = 'the sender’s address reaches an auth function';

/** Every tested host: the rows of the table in docs/hosts.md. */
export const HOSTS = {
  'node:http': {},
  'Express 5': {},
  'Express 4': {},
  Fastify: {},
  Hono: {},
  Koa: { [NO_PARSER]: 'the receiver comes before Koa, so no parser has read the body' },
  'NestJS on Express': {},
  'NestJS on Fastify': {},
  'Next.js': {
    'two Authorization headers: 401 with a challenge':
      'Next keeps the first of several `Authorization` headers',
    'another method: 405': 'Next answers other methods itself',
    [NO_PARSER]: 'a `Request` is read once: pass on `request.clone()`',
    [NO_ADDRESS]: 'a `Request` has no address',
  },
  'Fetch (SvelteKit, Deno, Bun)': {
    [NO_PARSER]: 'a `Request` is read once: pass on `request.clone()`',
    [NO_ADDRESS]: 'a `Request` has no address',
  },
  'Lambda, payload 1.0 (REST API)': {
    ...BUFFERED_CASES,
    'bytes that are not UTF-8: 400': 'the gateway makes text of the body, unless it is set to encode it',
  },
  'Lambda, payload 2.0 (HTTP API, function URL)': BUFFERED_CASES,
} as const satisfies Readonly<Record<string, LeftOut>>;

export type HostName = keyof typeof HOSTS;

/**
 * The table in docs/hosts.md: a cell is a group of cases on a host. A number refers to the reason why some or all (`–`)
 * of its cases are left out.
 */
export function matrixOf(groups: Readonly<Record<string, readonly string[]>>): string {
  const reasons: string[] = [];
  const numberOf = (reason: string): number => {
    if (!reasons.includes(reason)) reasons.push(reason);
    return reasons.indexOf(reason) + 1;
  };
  const cellOf = (leftOut: LeftOut, cases: readonly string[]): string => {
    const missing = cases.filter((name) => name in leftOut);
    const numbers = [...new Set(missing.map((name) => numberOf(leftOut[name] ?? '')))];
    return `${missing.length < cases.length ? '✓' : '–'}${numbers.map((number) => ` (${number})`).join('')}`;
  };
  const rows = Object.entries(HOSTS).map(([name, leftOut]) => [
    name,
    ...Object.values(groups).map((cases) => cellOf(leftOut, cases)),
  ]);
  const lines = [
    ['host', ...Object.keys(groups)],
    Array.from({ length: Object.keys(groups).length + 1 }, () => '---'),
    ...rows,
  ];
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const notes = reasons.map((reason, index) => `(${index + 1}) ${reason}`).join('; ');
  return `${table}\n\n${notes}.`;
}
