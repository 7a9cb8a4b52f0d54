import { type Json, objectOf, objectsOf, textOf } from './json.js';

/**
 * What the agents' editor writes as Markdown, as plain text. In an API inbox it knows bold, italics and line breaks;
 * canned responses and notes also bring links and mentions. It does not escape what agents type, so a backslash
 * is a backslash, and only what can be nothing but markup is taken away. Every repeat has a bound or stops at its
 * own kind, so that no text takes long.
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

/** What a message says to somebody who can only read text: its words, what it lets choose from, and where its files are. */
export function messageText(message: Json): string {
  const { items } = objectOf(message.content_attributes);
  const lines = [
    plainText(textOf(message.content)),
    ...objectsOf(items).map(itemLine),
    ...objectsOf(message.attachments).map(attachmentLine),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** One choice, card or article of an interactive message. */
function itemLine({ title, link }: Json): string {
  return [textOf(title), textOf(link)].filter((part) => part !== '').join(': ');
}

/** A file, or what stands for one: a place has coordinates, a shared contact only a title. */
function attachmentLine(attachment: Json): string {
  const { coordinates_lat: latitude, coordinates_long: longitude } = attachment;
  const place =
    typeof latitude === 'number' && typeof longitude === 'number' && attachment.file_type === 'location'
      ? `${latitude}, ${longitude}`
      : '';
  return [textOf(attachment.fallback_title), place, textOf(attachment.data_url)]
    .filter((part) => part !== '')
    .join(': ');
}
