import { join } from 'node:path';
import { sqlite } from '../../dist/delivery/sqlite/index.js';
import { receiverOn } from './kit.js';

/** @type {import('./contenders.js').CreateListener} */
export const create = async ({ begun, folder }) =>
  receiverOn(sqlite({ file: join(folder, 'handoff.db'), concurrency: 32 }), begun);
