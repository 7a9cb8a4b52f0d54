/**
 * OpenTelemetry: traces from a webhook through queue, handlers, adapter and reply, and metrics. It subscribes to the
 * channels of `node:diagnostics_channel`, and needs the package `@opentelemetry/api` and an SDK that the application
 * has set up.
 *
 * @example
 * import { startOpenTelemetry } from 'handoff-kit/opentelemetry';
 *
 * const telemetry = startOpenTelemetry({ receivers: [receiver] });
 * // … at the end
 * telemetry.stop();
 *
 * @module
 */
export * from '../opentelemetry/index.js';
