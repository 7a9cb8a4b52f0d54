/**
 * Recordings of the exchanges between platform and receiver: written without credentials, and read again for a replay.
 *
 * @module
 */

export {
  platformEndpointOf,
  type RecordedLine,
  receiverEndpointOf,
} from './format.js';
export { createRecorder, type Recorder, type RecordOptions } from './recorder.js';
