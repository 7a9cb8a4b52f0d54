export { checkAtStart } from './check-at-start.js';
export { adapterOf, type Connected, loadAdapter } from './connect-adapter.js';
