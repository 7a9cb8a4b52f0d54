import { expect, it, onTestFinished, vi } from 'vitest';
import { withoutExperimentalWarning } from '../../src/delivery/sqlite/database.js';

it('Node’s warning that its SQLite is experimental is hidden, and no other warning', () => {
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
  expect(withoutExperimentalWarning(sayIt)).toBe('done');
  expect(heard.mock.calls).toEqual([['something else', 'SomeWarning']]);
  sayIt();
  expect(heard).toHaveBeenCalledTimes(3);
});
