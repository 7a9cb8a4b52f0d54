import { expect, it, onTestFinished, vi } from 'vitest';
import { withoutSqliteWarning } from '../../src/delivery/sqlite/driver-warning.js';

it('keeps back the warning that SQLite is new in Node, and no other', () => {
  const heard = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => heard.mockRestore());
  const sayIt = (): string => {
    process.emitWarning(
      'SQLite is an experimental feature and might change at any time',
      'ExperimentalWarning',
    );
    process.emitWarning('something else', 'SomeWarning');
    return 'done';
  };
  expect(withoutSqliteWarning(sayIt)).toBe('done');
  expect(heard.mock.calls).toEqual([['something else', 'SomeWarning']]);
  sayIt();
  expect(heard).toHaveBeenCalledTimes(3);
});
