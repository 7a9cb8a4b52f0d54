/** Names whose values say which thing is meant, or of what kind it is. All other text may be somebody's words. */
const SHOWN = /(_id|^kind|^type|^message_type|^from_component_\w+)$/;

/** The same content with every text in it replaced by its length, save ids and kinds. */
export function hideText(content: unknown, name = ''): unknown {
  if (typeof content === 'string') return SHOWN.test(name) ? content : `[${content.length} characters]`;
  if (Array.isArray(content)) return content.map((entry) => hideText(entry, name));
  if (typeof content !== 'object' || content === null) return content;
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, hideText(value, key)]));
}
