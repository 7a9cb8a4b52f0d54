import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');

/** The rooms, each with those it may use: the table of CONTRIBUTING.md, held against the code. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  logging: [],
  outbound: [],
  service: ['protocol', 'outbound'],
  events: ['protocol', 'logging', 'service'],
  handoff: ['protocol', 'events'],
  delivery: ['protocol', 'logging', 'service', 'events', 'handoff'],
  receiver: ['protocol', 'logging', 'service', 'events', 'handoff', 'delivery'],
  bridge: ['protocol', 'logging', 'outbound', 'events', 'handoff', 'receiver'],
  adapters: ['protocol', 'logging', 'service', 'events', 'handoff', 'delivery', 'receiver', 'bridge'],
  simulator: ['protocol'],
  doctor: ['protocol', 'simulator'],
  testing: ['protocol', 'logging', 'events', 'handoff', 'delivery', 'receiver', 'bridge', 'simulator'],
  standalone: [
    'protocol',
    'logging',
    'service',
    'events',
    'handoff',
    'delivery',
    'receiver',
    'bridge',
    'adapters',
  ],
};

/** Doors beside those of the rooms and adapters: each opens onto a part that can be had without the rest. */
const SIDE_DOORS: readonly string[] = [
  'adapters/desk/records/index.js',
  'delivery/postgres/index.js',
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
