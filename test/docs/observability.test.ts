import { describe, expect, it } from 'vitest';
import { channels } from '../../src/diagnostics/index.js';
import { STORED_TREE } from '../opentelemetry/one-handoff.js';
import { read } from './pages.js';

const text = read('docs/observability.md');

describe('docs/observability.md', () => {
  it('lists every channel', () => {
    const listed = [...text.matchAll(/^\| `handoff-kit:(\w+)` \|/gm)].map(([, name]) => name);
    expect(listed).toEqual(Object.keys(channels));
  });

  it('shows the trace that the tests check', () => {
    expect(text).toContain(STORED_TREE);
  });
});
