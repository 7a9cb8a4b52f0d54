/**
 * The bridge carries handed-over conversations between the platform and a helpdesk, which an adapter connects to.
 *
 * @example
 * import { createBridge } from 'handoff-kit/bridge';
 *
 * @module
 */
export {
  type Adapter,
  type AdapterRetryPolicy,
  type Bridge,
  type BridgeMessages,
  type BridgeOptions,
  type BridgeStats,
  type BusinessHours,
  createBridge,
  type HandoffRoute,
  type IsOpenAt,
  type MessageText,
  type MessageTextContext,
  type RouteContext,
  type RouteHandoff,
  type Weekday,
  type WhenClosed,
} from '../bridge/index.js';
