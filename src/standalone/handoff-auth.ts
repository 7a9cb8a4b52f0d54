/** The ways in which handoff requests authenticate. */
export const HANDOFF_AUTH_KINDS = ['path', 'bearer', 'webhook', 'none'] as const;

/** The choices of HANDOFF_AUTH, for messages. */
export const HANDOFF_AUTH_CHOICES =
  'path (HANDOFF_TOKEN in the path; the default with a token), bearer (HANDOFF_TOKEN as Bearer), webhook (the same credentials as messages) or none';

/** The hint at the earlier form of HANDOFF_AUTH. */
export const COMBINED_HANDOFF_AUTH =
  'HANDOFF_AUTH=path:<token> is now HANDOFF_AUTH=path with HANDOFF_TOKEN=<token>, and bearer:<token> likewise.';

/** Splits the earlier form of HANDOFF_AUTH, `path:<token>` or `bearer:<token>`; `null` for any other text. */
export function splitHandoffAuth(
  text: string,
): { readonly kind: 'path' | 'bearer'; readonly token: string } | null {
  const [, kind, token] = /^(path|bearer):(.+)$/s.exec(text) ?? [];
  return (kind === 'path' || kind === 'bearer') && token !== undefined ? { kind, token } : null;
}
