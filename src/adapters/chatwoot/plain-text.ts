import { asObject, asObjects, asText, type InboundAttachment, type JsonObject } from '../../bridge/index.js';

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

/**
 * A message as plain text: its text, the options of an interactive message, and what is attached without being a file:
 * a location or a shared contact.
 */
export function messageText(message: JsonObject): string {
  const { items } = asObject(message.content_attributes);
  const lines = [
    plainText(asText(message.content)),
    ...asObjects(items).map(itemLine),
    ...asObjects(message.attachments).map(nonFileLine),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** An option, card or article of an interactive message. */
function itemLine({ title, link }: JsonObject): string {
  return [asText(title), asText(link)].filter((part) => part !== '').join(': ');
}

/** A location with coordinates and perhaps a link, or a shared contact, which has a title only. */
function nonFileLine(attachment: JsonObject): string {
  if (isFile(attachment)) return '';
  const { coordinates_lat: latitude, coordinates_long: longitude } = attachment;
  const coordinates =
    typeof latitude === 'number' && typeof longitude === 'number' && attachment.file_type === 'location'
      ? `${latitude}, ${longitude}`
      : '';
  return [asText(attachment.fallback_title), coordinates, asText(attachment.data_url)]
    .filter((part) => part !== '')
    .join(': ');
}

/** The files of a message. */
export function filesOf(message: JsonObject): readonly InboundAttachment[] {
  return asObjects(message.attachments)
    .filter(isFile)
    .map((attachment) => {
      const url = asText(attachment.data_url);
      return { name: fileName(url), contentType: asText(attachment.content_type) || null, url };
    });
}

/** Anything with a link of its own and without a title, whatever its type. */
const isFile = ({ file_type, fallback_title, data_url }: JsonObject): boolean =>
  file_type !== 'location' && asText(fallback_title) === '' && asText(data_url) !== '';

/** Chatwoot sends no name; its links end with the name. */
function fileName(url: string): string {
  const segment = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
  return decodeOr(segment) || 'file';
}

function decodeOr(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
