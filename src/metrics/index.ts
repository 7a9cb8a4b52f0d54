/**
 * Metrics of a receiver for Prometheus.
 *
 * @module
 */
export {
  collectMetrics,
  type MeasuredReceiver,
  type Metrics,
  type MetricsHandler,
  type MetricsOptions,
  metricsHandler,
} from './collect.js';
