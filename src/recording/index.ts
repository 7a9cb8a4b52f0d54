/**
 * Recordings of the exchanges between platform and receiver: written without credentials, and read again for a replay.
 *
 * @module
 */

export {
  conversationOf,
  platformEndpointOf,
  type ReceiverEndpoint,
  type RecordedLine,
  receiverEndpointOf,
} from './format.js';
export { createRecorder, type Recorder, type RecordOptions } from './recorder.js';
