export { ADAPTER_CATALOG, ADAPTER_NAMES, adapterPath, settingsOf } from './catalog.js';
export { checkAtStart } from './check-at-start.js';
export { adapterOf, type Connected, connectAdapter } from './connect-adapter.js';
export { listOf } from './lists.js';
export { readAdapter } from './read-adapter.js';
