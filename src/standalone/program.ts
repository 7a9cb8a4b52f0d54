/**
 * The receiver as a program, which is loaded whole: see {@link loadProgram}.
 *
 * @module
 */
export { createStandalone } from './create-standalone.js';
export { readSettings } from './read-settings.js';
export { serve } from './serve.js';
