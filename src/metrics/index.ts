/**
 * Metrics of a receiver for Prometheus.
 *
 * @module
 */
export { collectMetrics, type MeasuredReceiver, type Metrics, type MetricsOptions } from './collect.js';
export { type MetricsHandler, metricsHandler } from './metrics-handler.js';
