/** The service's own number in a body, sent as a number or as digits; `null` when there is none. */
export function serviceCodeOf(body: unknown): number | null {
  if (typeof body !== 'object' || body === null || !('code' in body)) return null;
  const { code } = body;
  const number = typeof code === 'string' && /^\d{1,9}$/.test(code) ? Number(code) : code;
  return typeof number === 'number' && Number.isInteger(number) ? number : null;
}
