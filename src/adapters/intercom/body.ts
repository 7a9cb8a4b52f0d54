import { htmlToText, type InboundAttachment } from '../../bridge/index.js';

/** What the body of a part says. */
export interface BodyContent {
  readonly text: string;
  /** Images, videos and recordings within the text. */
  readonly media: readonly InboundAttachment[];
}

/** Reads a body: webhooks of API versions before 2.15 carry HTML, later ones plain text, and none says which. */
export function readBody(body: string): BodyContent {
  if (!isHtml(body)) return { text: body, media: [] };
  return { text: htmlToText(body), media: mediaOf(body) };
}

const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'a abbr article audio b big blockquote body br caption center code col colgroup dd del div dl dt em embed ' +
    'figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hr html i iframe img ins kbd li mark ol p pre q s ' +
    'samp section small source span strike strong sub sup table tbody td tfoot th thead tr tt u ul var video wbr'
  ).split(' '),
);
const WITHOUT_END: ReadonlySet<string> = new Set('br col embed hr img source wbr'.split(' '));

const TAG = /<(\/?)([a-z][a-z0-9]*)(?:\s+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+))?)*\s*\/?>/gi;

/** Characters that HTML would have as entities. */
const UNESCAPED = /<|&(?!#?\w+;)/;

/** Begins and ends with a block: the form in which Intercom sends most texts, also with a mistake inside. */
const BLOCKS = /^<(p|div|h[1-6]|ul|ol|pre|blockquote|table|img)\b.*>$/s;

/** Whether all of a text is HTML: known elements, each with its end. Plain text may contain `<` or a single tag. */
function isHtml(text: string): boolean {
  if (BLOCKS.test(text)) return true;
  const open: string[] = [];
  let at = 0;
  for (const { 0: tag, 1: slash, 2: name = '', index } of text.matchAll(TAG)) {
    const element = name.toLowerCase();
    if (UNESCAPED.test(text.slice(at, index)) || !ELEMENTS.has(element)) return false;
    at = index + tag.length;
    if (WITHOUT_END.has(element)) continue;
    if (slash === '') open.push(element);
    else if (open.pop() !== element) return false;
  }
  return at > 0 && open.length === 0 && !UNESCAPED.test(text.slice(at));
}

/** Players of other sites are frames. */
const MEDIA_NAMES: Readonly<Record<string, string>> = {
  img: 'image',
  video: 'video',
  iframe: 'video',
  embed: 'video',
  audio: 'recording',
};
const MEDIA = /<(img|video|iframe|embed|audio|source)\b([^>]*)>/gi;

function mediaOf(html: string): InboundAttachment[] {
  const media: InboundAttachment[] = [];
  for (const [, element = '', attributes = ''] of html.matchAll(MEDIA)) {
    const [, address = ''] = /\bsrc=["']?(https?:[^"'\s>]+)/i.exec(attributes) ?? [];
    const url = address === '' ? null : address.replaceAll('&amp;', '&');
    const name = MEDIA_NAMES[element.toLowerCase()];
    const last = media.at(-1);
    if (name) media.push({ name, contentType: null, url });
    // The address of the video or recording around it.
    else if (last?.url === null) media[media.length - 1] = { ...last, url };
  }
  return media;
}
