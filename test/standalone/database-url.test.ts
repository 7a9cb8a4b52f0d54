import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeDatabase, parseDatabaseUrl } from '../../src/standalone/database.js';

function complaintOf(text: string): string {
  try {
    parseDatabaseUrl(text);
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  throw new Error('this was accepted');
}

describe('DATABASE_URL', () => {
  it.each([
    ['none', { kind: 'none' }],
    ['sqlite:./x.db', { kind: 'sqlite', file: resolve('x.db') }],
    ['sqlite:x.db', { kind: 'sqlite', file: resolve('x.db') }],
    ['sqlite:/var/lib/x.db', { kind: 'sqlite', file: '/var/lib/x.db' }],
    ['postgres://me:secret@db/x', { kind: 'postgres', url: 'postgres://me:secret@db/x' }],
    ['postgresql://db/x', { kind: 'postgres', url: 'postgresql://db/x' }],
    ['postgres:///x?host=/run/postgresql', { kind: 'postgres', url: 'postgres:///x?host=/run/postgresql' }],
  ])('accepts %s', (text, choice) => {
    expect(parseDatabaseUrl(text)).toEqual(choice);
  });

  it.each([
    ['sqlite:', /must name a file right after "sqlite:"/],
    ['sqlite: ', /must name a file/],
    ['sqlite://x.db', /must name a file/],
    ['sqlite:///var/x.db', /must name a file/],
    ['sqlite::memory:', /must name a file/],
    ['./handoff.db', /must be sqlite:<file>, postgres:/],
    ['mysql://db/x', /must be sqlite:<file>/],
    ['postgres:db', /must be sqlite:<file>/],
    ['NONE', /must be sqlite:<file>/],
  ])('refuses %j instead of guessing', (text, complaint) => {
    expect(complaintOf(text)).toMatch(complaint);
  });

  it('refuses a password that breaks the URL, without showing it', () => {
    const complaint = complaintOf('postgres://me:sEcret#1@db/x');
    expect(complaint).toContain('%23');
    expect(complaint).not.toContain('sEcret');
  });

  it('is described without user, password and parameters', () => {
    const choice = parseDatabaseUrl(
      'postgres://me:sEcret@db.example:5433/handoffs?password=sEcret&sslmode=require',
    );
    expect(describeDatabase(choice)).toBe('postgres://db.example:5433/handoffs');
    const cluster = parseDatabaseUrl('postgres://me:sEcret@one:5433,two:5433/handoffs?sslmode=require');
    expect(describeDatabase(cluster)).toBe('postgres://one:5433,two:5433/handoffs');
    expect(describeDatabase(parseDatabaseUrl('sqlite:x.db'))).toBe(resolve('x.db'));
    expect(describeDatabase({ kind: 'none' })).toBe('none');
  });
});
