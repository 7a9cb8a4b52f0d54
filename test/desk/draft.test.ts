import { describe, expect, it } from 'vitest';
import {
  accept,
  type Draft,
  draftOf,
  EMPTY,
  edit,
  fail,
  interrupt,
  prepend,
  send,
  undo,
} from '../../src/desk/page/src/conversation/draft.js';

const EDITED = draftOf('A');
const SENDING = send(EDITED, '1');
const FAILED = fail(SENDING, '1');
const failedWith = (text: string): Draft => ({ state: 'failed', text, id: '1', isWhole: false });

describe('the draft of a text', () => {
  it('is edited, and empty again', () => {
    expect(edit(EMPTY, 'A')).toEqual({ state: 'edited', text: 'A' });
    expect(edit(EDITED, 'AB')).toEqual({ state: 'edited', text: 'AB' });
    expect(edit(EDITED, '')).toEqual(EMPTY);
    expect(prepend(EMPTY, 'A')).toEqual(EDITED);
    expect(prepend(EDITED, 'Z')).toEqual(draftOf('Z\nA'));
  });

  it('leaves the field while it is sent, which can be written in', () => {
    expect(SENDING).toEqual({ state: 'sending', text: '', id: '1', sent: 'A' });
    expect(edit(SENDING, 'B')).toEqual({ ...SENDING, text: 'B' });
    expect(edit(edit(SENDING, 'B'), '')).toEqual(SENDING);
    expect(prepend(SENDING, 'Z')).toEqual({ ...SENDING, text: 'Z' });
    expect(send(edit(SENDING, 'B'), '2')).toEqual({ ...SENDING, text: 'B' });
    expect(send(EMPTY, '1')).toEqual(EMPTY);
  });

  it('is gone once the desk has it, without what was written since', () => {
    expect(accept(SENDING, '1', 'A')).toEqual(EMPTY);
    expect(accept(edit(SENDING, 'B'), '1', 'A')).toEqual(draftOf('B'));
    expect(accept(SENDING, '2', 'A')).toEqual(SENDING);
    expect(accept(EDITED, '1', 'A')).toEqual(EDITED);
    expect(accept(EMPTY, '1', 'A')).toEqual(EMPTY);
  });

  it('is in the field again after a failure, before what was written since', () => {
    expect(FAILED).toEqual({ state: 'failed', text: 'A', id: '1', isWhole: true });
    expect(fail(edit(SENDING, 'B'), '1')).toEqual(failedWith('A\nB'));
    expect(fail(SENDING, '2')).toEqual(SENDING);
    for (const draft of [EMPTY, EDITED, FAILED]) expect(fail(draft, '1')).toEqual(draft);
    expect(interrupt(SENDING)).toEqual(FAILED);
    for (const draft of [EMPTY, EDITED, FAILED]) expect(interrupt(draft)).toEqual(draft);
  });

  it('keeps its id for a repeat only', () => {
    expect(send(FAILED, '2')).toEqual(SENDING);
    expect(send(edit(FAILED, 'A'), '2')).toEqual(SENDING);
    expect(send(edit(FAILED, 'B'), '2')).toEqual({ state: 'sending', text: '', id: '2', sent: 'B' });
    expect(send(prepend(FAILED, 'Z'), '2')).toEqual({ state: 'sending', text: '', id: '2', sent: 'Z\nA' });
  });

  it('that failed and was replaced does not come back', () => {
    const replaced = edit(FAILED, 'B');
    expect(replaced).toEqual(failedWith('B'));
    expect(interrupt(replaced)).toEqual(replaced);
    expect(JSON.stringify(replaced)).not.toContain('A');
    expect(edit(FAILED, '')).toEqual(EMPTY);
    const later = fail(send(replaced, '2'), '2');
    expect(later).toEqual({ state: 'failed', text: 'B', id: '2', isWhole: true });
  });

  it('that failed is gone when the desk had it after all', () => {
    expect(accept(FAILED, '1', 'A')).toEqual(EMPTY);
    expect(accept(failedWith('A\nB'), '1', 'A')).toEqual(draftOf('B'));
    expect(accept(failedWith('B'), '1', 'A')).toEqual(draftOf('B'));
    expect(accept(FAILED, '2', 'A')).toEqual(FAILED);
  });

  it('can be taken back before it is sent', () => {
    expect(undo(SENDING, '1')).toEqual(EDITED);
    expect(undo(edit(SENDING, 'B'), '1')).toEqual(draftOf('A\nB'));
    expect(undo(FAILED, '1')).toEqual(EDITED);
    expect(undo(SENDING, '2')).toEqual(SENDING);
    expect(undo(EDITED, '1')).toEqual(EDITED);
    expect(undo(EMPTY, '1')).toEqual(EMPTY);
  });
});
