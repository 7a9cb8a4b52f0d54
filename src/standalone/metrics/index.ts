/**
 * What is counted, and how it is told.
 *
 * @module
 */
export { adapterMetrics } from './adapter-metrics.js';
export { countAnswers } from './count-answers.js';
export { createMeasures, type Measures } from './measures.js';
export { metricsRoute } from './route.js';
