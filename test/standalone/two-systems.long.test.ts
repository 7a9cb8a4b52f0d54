import { describe } from 'vitest';
import { databaseUrl } from './start-program.js';
import { carriesTwoSystems } from './two-systems.js';

describe('the program with two systems, on SQLite', () => carriesTwoSystems(async () => databaseUrl()));
