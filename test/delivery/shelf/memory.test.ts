import { describe } from 'vitest';
import { createMemoryShelf } from '../../../src/delivery/index.js';
import { describeShelf } from './contract.js';

describe('a shelf in memory', () => {
  describeShelf(async () => {
    const shelf = createMemoryShelf();
    return [shelf, shelf];
  });
});
