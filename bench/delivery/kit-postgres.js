import { postgres } from '../../dist/delivery/postgres/index.js';
import { receiverOn } from './kit.js';

/** @type {import('./contenders.js').CreateListener} */
export const create = async ({ begun, url, schema }) =>
  receiverOn(postgres({ connectionString: url, schema, concurrency: 32 }), begun);
