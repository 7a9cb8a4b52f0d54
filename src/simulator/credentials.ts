/** What a webhook is called with. */
export interface Credentials {
  username?: string | undefined;
  secret?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The headers that credentials become (5.3): `Bearer <username>`, or Basic when there is a secret, or none.
 */
export function credentialHeaders({ username, secret, headers }: Credentials): Record<string, string> {
  const lowered = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ]);
  const own = Object.fromEntries(lowered);
  if (username === undefined) return own;
  if (secret === undefined) return { ...own, authorization: `Bearer ${username}` };
  const encoded = Buffer.from(`${username}:${secret}`).toString('base64');
  return { ...own, authorization: `Basic ${encoded}` };
}

/** Credentials of the same shape that open nothing. A webhook without any gets a stranger's Bearer. */
export function wrongCredentials({ username, secret, headers }: Credentials): Credentials {
  return {
    username: secret === undefined ? 'wrong-username' : username,
    secret: secret === undefined ? undefined : 'wrong-secret',
    headers: Object.fromEntries(Object.keys(headers ?? {}).map((name) => [name, 'wrong'])),
  };
}
