import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** The rooms, each with those it may use: the table of CONTRIBUTING.md, held against the code. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  internal: [],
  protocol: ['internal'],
  client: ['protocol', 'internal'],
  events: ['client', 'protocol', 'internal'],
  handoff: ['events', 'protocol', 'internal'],
  delivery: ['handoff', 'events', 'client', 'protocol', 'internal'],
  receiver: ['delivery', 'handoff', 'events', 'client', 'protocol', 'internal'],
  bridge: ['receiver', 'delivery', 'handoff', 'events', 'protocol', 'internal'],
  adapters: ['bridge', 'receiver', 'delivery', 'handoff', 'events', 'client', 'protocol', 'internal'],
  simulator: ['protocol', 'internal'],
  doctor: ['simulator', 'protocol', 'internal'],
  testing: ['bridge', 'receiver', 'delivery', 'handoff', 'events', 'simulator', 'protocol', 'internal'],
  standalone: [
    'adapters',
    'bridge',
    'receiver',
    'delivery',
    'handoff',
    'events',
    'client',
    'protocol',
    'internal',
  ],
};

/** Doors beside those of the rooms and adapters: each opens onto a part that can be had without the rest. */
const SIDE_DOORS: readonly string[] = [
  'adapters/desk/records/index.js',
  'delivery/postgres/index.js',
  'internal/create-log.js',
  'delivery/sqlite/index.js',
  'simulator/sending/index.js',
];

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));

const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [...text.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, path = '']) => ({
    file,
    target: relative(SRC, resolve(SRC, dirname(file), path)),
  }));
});

const roomOf = (path: string): string => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

describe('the house', () => {
  it('has only rooms with a door', () => {
    const rooms = new Set(files.map(roomOf).filter((room) => !['', 'cli', 'adapters'].includes(room)));
    for (const room of rooms) expect(files, room).toContain(`${room}/index.ts`);
    const adapters = new Set(files.flatMap((file) => /^adapters\/[\w-]+/.exec(file)?.[0] ?? []));
    for (const adapter of adapters) expect(files, adapter).toContain(`${adapter}/index.ts`);
  });

  it.each(Object.entries(ROOMS))('%s uses only rooms below it', (room, below) => {
    const strangers = imports
      .filter(({ file, target }) => roomOf(file) === room && roomOf(target) !== room)
      .filter(({ target }) => !below.includes(roomOf(target)));
    expect(strangers).toEqual([]);
  });

  it('is entered by its doors', () => {
    const sideways = imports
      .filter(({ file, target }) => roomOf(file) !== roomOf(target))
      .filter(({ target }) => !/^(adapters\/[\w-]+|\w+)\/index\.js$/.test(target))
      .filter(({ target }) => !SIDE_DOORS.includes(target));
    expect(sideways).toEqual([]);
  });
});
