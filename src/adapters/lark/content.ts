import { asObject, asObjects, asText, type InboundAttachment, type JsonObject } from '../../bridge/index.js';
import { readCard as readJson } from './card.js';
import type { CheckedSettings } from './settings.js';

/** A mention of somebody, for which the text has a key such as `@_user_1`. */
export interface Mention {
  readonly key: string;
  readonly openId: string;
  readonly name: string;
}

/** A message as users see it. */
export interface Content {
  readonly text: string;
  readonly attachments: readonly InboundAttachment[];
}

/** Replaces a key by what users see; texts that only look like a key stay. */
type ShowMention = (key: string, name?: string) => string | null;

/** Reads the content of a message. The user cannot open files in Lark, so they have no address. */
export function readContent(
  type: string,
  json: string,
  mentions: readonly Mention[],
  { botOpenId, names }: Pick<CheckedSettings, 'botOpenId' | 'names'>,
): Content {
  const show: ShowMention = (key, name = '') => {
    // Lark may leave this one out of the list.
    if (/^(@_)?all(_members)?$/.test(key)) return '@all';
    const mention = mentions.find(({ key: each, openId }) => each === key || openId === key);
    if (!mention) return name === '' ? null : `@${name}`;
    if (mention.openId === botOpenId) return '';
    return `@${names.get(mention.openId) ?? (mention.name || 'colleague')}`;
  };
  const content = readJson(json);
  if (type === 'text') {
    const text = asText(content.text).replace(/@_(?:user_\d+|all)\b/g, (key) => show(key) ?? key);
    return { text: text.trim(), attachments: [] };
  }
  if (type === 'post') return readPost(content, show);
  const name = asText(content.file_name) || (WORDS[type] ?? type.replaceAll('_', ' '));
  return { text: '', attachments: [attachment(name)] };
}

/** What is shown for a message without text. */
const WORDS: Readonly<Record<string, string>> = {
  interactive: 'card',
  media: 'video',
  merge_forward: 'forwarded messages',
  share_chat: 'group',
  share_user: 'contact',
};

const attachment = (name: string): InboundAttachment => ({ name, contentType: null, url: null });

/** A rich text: paragraphs of elements, perhaps in several languages. */
function readPost(post: JsonObject, show: ShowMention): Content {
  const body = 'content' in post ? post : asObject(Object.values(post)[0]);
  const paragraphs = Array.isArray(body.content) ? body.content.map(asObjects) : [];
  const lines = paragraphs.map((elements) => elements.map((element) => elementText(element, show)).join(''));
  const files = paragraphs.flat().flatMap(({ tag }) => {
    if (tag === 'img') return attachment('image');
    return tag === 'media' ? attachment('video') : [];
  });
  return { text: [asText(body.title), ...lines].join('\n').trim(), attachments: files };
}

function elementText(element: JsonObject, show: ShowMention): string {
  const text = asText(element.text);
  switch (element.tag) {
    case 'a':
      return linkText(asText(element.href), text);
    case 'at':
      return show(asText(element.user_id), asText(element.user_name)) ?? '@colleague';
    case 'emotion':
      return `[${asText(element.emoji_type)}]`;
    case 'hr':
      return '---';
    default:
      return text;
  }
}

/** A link: the address alone when the label says the same. */
function linkText(address: string, label: string): string {
  const bare = (text: string): string => text.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return label === '' || bare(label) === bare(address) ? address : `${label} (${address})`;
}
