import { readFileSync } from 'node:fs';

/** The contract, in the package's root: as far from the sources as from what is built of them. */
const FILE = new URL('../../../openapi.json', import.meta.url);

/** Reads the contract, for the simulator to serve. */
export function readOpenapi(): object {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}
