/**
 * Metrics of a receiver for Prometheus.
 *
 * @module
 */
export * from '../metrics/index.js';
