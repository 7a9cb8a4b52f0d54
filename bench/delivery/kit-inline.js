import { inline } from '../../dist/index.js';
import { receiverOn } from './kit.js';

/** @type {import('./contenders.js').CreateListener} */
export const create = async ({ begun }) => receiverOn(inline(), begun);
