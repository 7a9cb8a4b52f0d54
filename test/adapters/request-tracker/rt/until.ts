/** Polls until `look` returns a value. The error after the timeout names what was expected. */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | null | undefined | false> | Value | null | undefined | false,
  timeoutMs = 120_000,
): Promise<Value> {
  const end = Date.now() + timeoutMs;
  while (Date.now() < end) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited ${timeoutMs} ms for ${what}`);
}
