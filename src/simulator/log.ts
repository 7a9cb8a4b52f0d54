/** Where the simulator says what happens: pino's shape. It never holds bodies or secrets. */
export interface SimulatorLog {
  info: (details: object, message: string) => void;
  warn: (details: object, message: string) => void;
  error: (details: object, message: string) => void;
}

/** A log that keeps to itself. */
export const silentLog: SimulatorLog = { info() {}, warn() {}, error() {} };
