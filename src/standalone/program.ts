/**
 * The receiver as a program. It loads most of the package, so callers import it through {@link loadProgram}.
 *
 * @module
 */
export { createStandalone } from './create-standalone.js';
export { readSettings } from './read-settings.js';
export { serve } from './serve.js';
