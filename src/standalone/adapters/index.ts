export { ADAPTER_CATALOG, ADAPTER_NAMES, type AdapterName, adapterPath } from './catalog.js';
export { bridgeOptions, connectAdapter } from './connect-adapter.js';
export { readAdapter } from './read-adapter.js';
