import net from 'node:net';

/**
 * One keep-alive connection that sends a request, waits for the complete answer, and sends the next request. Raw HTTP
 * over a socket with one reused read buffer, because an HTTP client would take CPU time from the server.
 *
 * @param {object} options
 * @param {number} options.port
 * @param {() => Buffer | null | undefined} options.next the next request; null to pause until `send` is called,
 *   undefined to stop
 * @param {(milliseconds: number) => void} options.answered called when an answer is complete
 * @param {(error: Error) => void} options.failed
 * @param {() => void} options.stopped
 */
export function openConnection({ port, next, answered, failed, stopped }) {
  let sentAt = 0;
  let partial = '';
  let ended = false;

  const end = (/** @type {() => void} */ report) => {
    if (ended) return;
    ended = true;
    socket.destroy();
    report();
  };
  const send = () => {
    const request = next();
    if (request === null) return;
    if (!request) return end(stopped);
    sentAt = performance.now();
    socket.write(request);
  };
  const read = (/** @type {number} */ size, /** @type {Buffer} */ buffer) => {
    const text = partial + buffer.toString('latin1', 0, size);
    const length = answerLength(text);
    if (length === undefined || length > text.length) {
      partial = text;
      return true;
    }
    const problem = problemOf(text, length);
    if (problem) {
      end(() => failed(new Error(`${problem}: ${JSON.stringify(text.slice(0, 400))}`)));
      return false;
    }
    partial = '';
    answered(performance.now() - sentAt);
    send();
    return true;
  };

  const socket = net.connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: { buffer: Buffer.alloc(16_384), callback: read },
  });
  socket.on('error', (error) => end(() => failed(error)));
  socket.on('close', () => end(() => failed(new Error('the server closed a keep-alive connection'))));
  return {
    ready: new Promise((resolve) => socket.once('connect', resolve)),
    send,
    close: () => end(() => {}),
  };
}

/** The status of an answer whose first line is complete. */
export const statusOf = (/** @type {string} */ text) => Number(text.slice(9, 12));

/** The length of the first answer in a text, with its headers; undefined while that is unknown. */
export function answerLength(/** @type {string} */ text) {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const bodyStart = headEnd + 4;
  const head = text.slice(0, headEnd).toLowerCase();
  const lengthAt = head.indexOf('\r\ncontent-length:');
  if (lengthAt !== -1) return bodyStart + Number.parseInt(head.slice(lengthAt + 17), 10);
  if (head.includes('\r\ntransfer-encoding: chunked')) return chunkedEnd(text, bodyStart);
  return bodyStart;
}

function chunkedEnd(/** @type {string} */ text, /** @type {number} */ start) {
  let at = start;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return at;
  }
}

function problemOf(/** @type {string} */ text, /** @type {number} */ length) {
  if (!text.startsWith('HTTP/1.1 200 ')) return 'an answer other than 200';
  if (text.length > length) return 'more bytes than one answer';
  return undefined;
}
