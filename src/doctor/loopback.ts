const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether a URL leads to this machine. */
export function isLoopback(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}
