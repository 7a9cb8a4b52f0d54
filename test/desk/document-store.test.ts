import { describe, expect, it } from 'vitest';
import { createMemoryDocumentStore } from '../../src/desk/server/store/memory-document-store.js';
import { createSqlDocumentStore } from '../../src/desk/server/store/sql-document-store.js';
import { testDocumentStore } from './document-store-contract.js';
import { testDatabaseFile } from './test-sql-database.js';

describe('the document store in memory', () => {
  testDocumentStore(async () => {
    const store = createMemoryDocumentStore();
    return [store, store];
  });
});

describe('the document store in a SQL database', () => {
  testDocumentStore(async () => {
    const open = await testDatabaseFile();
    return [createSqlDocumentStore(open()), createSqlDocumentStore(open())];
  });

  it('creates its tables on first use, and tries again after a failure', async () => {
    const open = await testDatabaseFile();
    const database = open();
    database.failNextMigration(new Error('the disk is full'));
    const store = createSqlDocumentStore(database);
    await expect(store.head()).rejects.toThrow('the disk is full');
    expect(await store.head()).toBe(0);
  });

  it('deletes the data of a user whom the database forgets', async () => {
    const open = await testDatabaseFile();
    const database = open();
    const store = createSqlDocumentStore(database);
    await store.write({ append: [{ topic: 't', value: 1, conversationId: 'x' }] });
    await database.forget(['x']);
    expect(await store.read()).toEqual([]);
  });
});
