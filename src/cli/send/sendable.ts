/** What can be sent. */
export const SENDABLE = ['message', 'establish', 'chat', 'close', 'probe'] as const;

/** One of what can be sent. */
export type Sendable = (typeof SENDABLE)[number];

/** Where a probe can go: an endpoint, or the URL that the handoff endpoints are below. */
export const PROBED = ['message', 'handoff', 'establish', 'chat', 'close'] as const;
