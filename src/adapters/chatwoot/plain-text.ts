import { asObject, asObjects, asText, type JsonObject } from './json.js';

/**
 * Converts the Markdown of the agents' editor to plain text. In an API inbox the editor writes bold, italics and line
 * breaks; canned responses and notes add links and mentions. It does not escape what agents type, so only unambiguous
 * markup is removed. Every repetition is bounded, so that no text makes a pattern slow.
 */
export function plainText(markdown: string): string {
  return markdown
    .replace(/\\\r?\n/g, '\n')
    .replace(/!\[[^[\]\n]{0,500}\]\(([^\s()]{1,2000})\)/g, '$1')
    .replace(/\[([^[\]\n]{1,500})\]\(mention:\/\/[^\s()]{0,500}\)/g, '$1')
    .replace(/\[([^[\]\n]{1,500})\]\((https?:\/\/[^\s()]{1,2000})\)/g, (_, text: string, url: string) =>
      text === url ? url : `${text} (${url})`,
    )
    .replace(/<(https?:\/\/[^\s<>]+)>/g, '$1')
    .replace(/\*\*(\S(?:[^*\n]*\S)?)\*\*/g, '$1')
    .replace(/(?<![\p{L}\p{N}*\\])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\p{L}\p{N}*])/gu, '$1')
    .trim();
}

/** A message as plain text: its text, the options of an interactive message, and links to its files. */
export function messageText(message: JsonObject): string {
  const { items } = asObject(message.content_attributes);
  const lines = [
    plainText(asText(message.content)),
    ...asObjects(items).map(itemLine),
    ...asObjects(message.attachments).map(attachmentLine),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** An option, card or article of an interactive message. */
function itemLine({ title, link }: JsonObject): string {
  return [asText(title), asText(link)].filter((part) => part !== '').join(': ');
}

/** A file, a location (coordinates) or a shared contact (title only). */
function attachmentLine(attachment: JsonObject): string {
  const { coordinates_lat: latitude, coordinates_long: longitude } = attachment;
  const coordinates =
    typeof latitude === 'number' && typeof longitude === 'number' && attachment.file_type === 'location'
      ? `${latitude}, ${longitude}`
      : '';
  return [asText(attachment.fallback_title), coordinates, asText(attachment.data_url)]
    .filter((part) => part !== '')
    .join(': ');
}
