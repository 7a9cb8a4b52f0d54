import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SqlDatabase } from '../../../src/delivery/storage/sql.js';
import { eventually } from '../contract/stage.js';
import type { QueueDatabase } from './contract.js';

/** What both databases offer to the stores that share them. */
export function describeDatabase(name: string, createDatabase: () => Promise<QueueDatabase>): void {
  const open = async (count = 1): Promise<SqlDatabase[]> => {
    const place = await createDatabase();
    const engines = Array.from({ length: count }, () =>
      place.connect({ leaseMs: 60_000, keepContent: false }),
    );
    onTestFinished(async () => {
      for (const engine of engines) await engine.close();
      await place.remove();
    });
    await Promise.all(engines.map((engine) => engine.open()));
    return engines.map(({ sql }) => sql);
  };
  const openOne = async (): Promise<SqlDatabase> => {
    const [sql] = await open();
    if (!sql) throw new Error('no database was opened');
    return sql;
  };

  describe(`transactions in ${name}`, () => {
    const withTable = async (): Promise<SqlDatabase> => {
      const sql = await openOne();
      await sql.migrate('test', [[`CREATE TABLE ${sql.table('note')} (id integer PRIMARY KEY, text text)`]]);
      return sql;
    };
    const insert = (sql: SqlDatabase, id: number, required = false) => ({
      sql: `INSERT INTO ${sql.table('note')} (id, text) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id`,
      values: [id, `note ${id}`],
      required,
    });
    const ids = async (sql: SqlDatabase) =>
      (await sql.read(`SELECT id FROM ${sql.table('note')} ORDER BY id`)).map(({ id }) => Number(id));

    it('return the rows of each statement', async () => {
      const sql = await withTable();
      expect(await sql.transaction([insert(sql, 1), insert(sql, 2)])).toEqual([[{ id: 1 }], [{ id: 2 }]]);
      expect(await sql.write(`DELETE FROM ${sql.table('note')} RETURNING text`)).toHaveLength(2);
    });

    it('do nothing when a required statement returns no row', async () => {
      const sql = await withTable();
      await sql.transaction([insert(sql, 1)]);
      expect(await sql.transaction([insert(sql, 2), insert(sql, 1, true), insert(sql, 3)])).toBeNull();
      expect(await ids(sql)).toEqual([1]);
    });

    it('reject and do nothing when a statement fails', async () => {
      const sql = await withTable();
      const failing = { sql: `INSERT INTO ${sql.table('note')} (id) VALUES ('not a number')` };
      await expect(sql.transaction([insert(sql, 1), failing])).rejects.toThrow();
      expect(await ids(sql)).toEqual([]);
      await sql.transaction([insert(sql, 2)]);
      expect(await ids(sql)).toEqual([2]);
    });

    it('take lists of strings as one parameter', async () => {
      const sql = await withTable();
      for (const id of [1, 2, 3]) await sql.transaction([insert(sql, id)]);
      const found = await sql.read(
        `SELECT id FROM ${sql.table('note')} WHERE text IN ${sql.list('$1')} ORDER BY id`,
        [JSON.stringify(['note 1', 'note 3', 'other'])],
      );
      expect(found.map(({ id }) => Number(id))).toEqual([1, 3]);
    });
  });

  describe(`migrations in ${name}`, () => {
    const steps = (sql: SqlDatabase) => [
      [`CREATE TABLE ${sql.table('step')} (id integer PRIMARY KEY)`],
      [`INSERT INTO ${sql.table('step')} VALUES (1)`, `INSERT INTO ${sql.table('step')} VALUES (2)`],
      [`INSERT INTO ${sql.table('step')} VALUES (3)`],
    ];
    const count = async (sql: SqlDatabase) => (await sql.read(`SELECT id FROM ${sql.table('step')}`)).length;

    it('run once each, in order, including those added later', async () => {
      const sql = await openOne();
      const all = steps(sql);
      await sql.migrate('test', all.slice(0, 2));
      await sql.migrate('test', all.slice(0, 2));
      expect(await count(sql)).toBe(2);
      await sql.migrate('test', all);
      expect(await count(sql)).toBe(3);
    });

    it('run once when several processes start at the same moment', async () => {
      const processes = await open(4);
      await Promise.all(processes.map((sql) => sql.migrate('test', steps(sql))));
      for (const sql of processes) expect(await count(sql)).toBe(3);
    });

    it('undo a step that fails, and run it again the next time', async () => {
      const sql = await openOne();
      const [first = [], second = []] = steps(sql);
      await expect(sql.migrate('test', [first, [...second, 'NO SQL AT ALL']])).rejects.toThrow();
      expect(await count(sql)).toBe(0);
      await sql.migrate('test', [first, second]);
      expect(await count(sql)).toBe(2);
    });

    it('are refused if there are tables of these names that no version has made', async () => {
      const sql = await openOne();
      await sql.migrate('before the first release', steps(sql));
      await expect(sql.migrate('test', steps(sql))).rejects.toMatchObject({
        code: 'DATABASE_UNUSABLE',
        message: expect.stringContaining('Use another file or schema'),
      });
    });

    it('are refused if the tables are newer than the code, for each component separately', async () => {
      const sql = await openOne();
      await sql.migrate('test', steps(sql));
      await expect(sql.migrate('test', steps(sql).slice(0, 1))).rejects.toMatchObject({
        code: 'DATABASE_TOO_NEW',
      });
      await sql.migrate('other', []);
    });
  });

  describe(`topics in ${name}`, () => {
    it('reach subscribers in this process and in others, until they unsubscribe', async () => {
      const [one, other] = await open(2);
      let calls = { near: 0, far: 0 };
      const stopNear = one?.subscribe('notes', () => {
        calls.near += 1;
      });
      const stopFar = other?.subscribe('notes', () => {
        calls.far += 1;
      });
      await eventually(async () => {
        // SQLite notifies other processes of commits, PostgreSQL of published topics.
        await one?.write(`INSERT INTO ${one.table('cursor')} (name, position) VALUES ($1, '')`, [
          randomUUID(),
        ]);
        one?.publish('notes');
        expect(calls.near).toBeGreaterThan(0);
        expect(calls.far).toBeGreaterThan(0);
      });
      stopNear?.();
      stopFar?.();
      calls = { near: 0, far: 0 };
      one?.publish('notes');
      await one?.read('SELECT 1 AS one');
      expect(calls).toEqual({ near: 0, far: 0 });
    });
  });
}
