import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { Delivery } from '../../src/delivery/index.js';
import { chatEvent, requestEvent } from '../helpers/events.js';
import { flakyPlatform } from '../helpers/fake-platform.js';
import { makeReceiver } from '../helpers/start.js';
import { eventually } from './contract/stage.js';

/**
 * Databases as released versions have written them, as SQL. A release with new tables adds its own:
 *
 *     HANDOFF_KIT_FIXTURES=1 npx vitest run test/delivery/released-schemas
 */
const FOLDER = join(import.meta.dirname, '../fixtures/schemas');
const VERSION = packageJson.version;
/** The tables whose rows are written. */
const TABLES = ['schema_version', 'seen_key', 'job', 'head', 'user_conversation', 'conversation'];

/** The statements of a fixture, with its times moved to a minute ago: old keys are forgotten, future jobs wait. */
const readStatements = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .replaceAll(/\b\d{13}\b/g, String(Date.now() - 60_000))
    .split(/;\n/)
    .filter(Boolean);

/** An empty database of one dialect. */
export interface SchemaDatabase {
  /** Opens it as a receiver does. */
  createDelivery(): Delivery;
  /** Runs statements of a fixture. */
  run(statements: readonly string[]): Promise<void>;
  /** The statements that created its tables. */
  tables(): Promise<readonly string[]>;
  /** The rows of a table as SQL literals, by column. */
  rows(table: string): Promise<readonly Record<string, string>[]>;
  /** Statements after the rows, for the numbers of the next ones. */
  readonly last: readonly string[];
  readonly table: (name: string) => string;
}

/** Checks that the current code opens what earlier releases have stored. */
export function describeReleasedSchemas(
  dialect: string,
  createDatabase: () => Promise<SchemaDatabase>,
): void {
  const fileOf = (version: string): string => join(FOLDER, `${version}.${dialect}.sql`);
  const open = (delivery: Delivery, options: Parameters<typeof makeReceiver>[0]) => {
    const made = makeReceiver({ delivery, ...options });
    onTestFinished(async () => void (await made.receiver.close({ timeoutMs: 1_000 })));
    return made;
  };

  if (process.env.HANDOFF_KIT_FIXTURES) {
    it(`writes the tables of ${VERSION} in ${dialect}`, async () => {
      const database = await createDatabase();
      const delivery = database.createDelivery();
      const { receiver } = open(delivery, { platform: { baseUrl: 'http://127.0.0.1:2', apiKey: 'key' } });
      await receiver.conversations.lifecycle.request(requestEvent('talks'));
      for (const text of ['first', 'second']) await delivery.accept(chatEvent('talks', { key: text, text }));
      await receiver.conversations.reply('talks', 'Stored by an earlier version');
      const inserts = [];
      for (const table of TABLES) {
        for (const row of await database.rows(table)) {
          const columns = Object.keys(row).join(', ');
          inserts.push(
            `INSERT INTO ${database.table(table)} (${columns}) VALUES (${Object.values(row).join(', ')})`,
          );
        }
      }
      const statements = [...(await database.tables()), ...inserts, ...database.last];
      writeFileSync(fileOf(VERSION), `${statements.join(';\n')};\n`);
    });
  }

  describe(`a ${dialect} database of a released version`, () => {
    const versions = readdirSync(FOLDER)
      .filter((file) => file.endsWith(`.${dialect}.sql`))
      .map((file) => file.slice(0, -`.${dialect}.sql`.length));

    it('exists', () => {
      expect(versions).not.toEqual([]);
    });

    it.each(versions)(
      '%s: its events are handled in order, its reply is sent, its conversation is found',
      async (version) => {
        const database = await createDatabase();
        const platform = await flakyPlatform();
        await database.run(readStatements(fileOf(version)));
        const delivery = database.createDelivery();
        const { receiver, seen } = open(delivery, { platform: platform.options });
        await receiver.start();
        await eventually(() => expect(seen).toHaveLength(2));
        expect(seen).toMatchObject([{ text: 'first' }, { text: 'second' }]);
        await eventually(() => expect(platform.said('talks')).toEqual(['Stored by an earlier version']));
        expect(await receiver.conversations.get('talks')).toMatchObject({ id: 'talks' });
        expect(await delivery.accept(chatEvent('talks', { key: 'first' }))).toBe('duplicate');
      },
    );
  });
}
