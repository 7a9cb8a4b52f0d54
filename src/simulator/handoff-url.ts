import { HANDOFF_PATHS } from '../protocol/index.js';

/** The URL of a handoff endpoint below a component's base URL; a query of the base stays. */
export function handoffUrl(base: string, endpoint: keyof typeof HANDOFF_PATHS): string {
  const url = new URL(base);
  url.pathname = url.pathname.replace(/\/+$/, '') + HANDOFF_PATHS[endpoint];
  return url.href;
}
