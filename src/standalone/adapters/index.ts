export { ADAPTER_CATALOG, ADAPTER_NAMES, adapterPath } from './catalog.js';
export { adapterOf, type Connected, connectAdapter } from './connect-adapter.js';
export { readAdapter } from './read-adapter.js';
