import { asObject, asObjects, asText, isObject, type JsonObject } from '../../bridge/index.js';

/** What the first message of a thread shows in each of its states. */
export interface CardContent {
  /** The user and the question. */
  readonly text: string;
  /** A part of the session's hash, by which `find` recognises the card. */
  readonly reference: string;
}

/** `by` is the open id of an agent. */
export type CardState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'taken' | 'closed'; readonly by: string }
  | { readonly kind: 'closed'; readonly reason: string };

const TITLES = {
  waiting: 'A customer asks for a human',
  taken: 'A customer asks for a human',
  closed: 'Conversation closed',
} as const;
const COLOURS = { waiting: 'orange', taken: 'blue', closed: 'grey' } as const;

/** What users wrote is shown in this form only, which has no mark-up. */
const plain = (content: string): JsonObject => ({ tag: 'plain_text', content });
const div = (text: JsonObject): JsonObject => ({ tag: 'div', text });

/** The card that is the first message of a thread. `update_multi` allows to change it later, for everybody. */
export function rootCard(content: CardContent, state: CardState): JsonObject {
  return {
    config: { update_multi: true, wide_screen_mode: true, enable_forward: false },
    header: { template: COLOURS[state.kind], title: plain(TITLES[state.kind]) },
    elements: [
      div(plain(content.text)),
      ...stateLine(state),
      { tag: 'note', elements: [plain(`Reference: ${content.reference}`)] },
      ...(state.kind === 'closed' ? [] : [{ tag: 'action', actions: buttons(content) }]),
    ],
  };
}

function stateLine(state: CardState): JsonObject[] {
  if (state.kind === 'waiting') return [];
  if ('reason' in state) return [div(plain(state.reason))];
  const verb = state.kind === 'taken' ? 'Taken' : 'Closed';
  return /^ou_\w+$/.test(state.by)
    ? [div({ tag: 'lark_md', content: `${verb} by <at id=${state.by}></at>` })]
    : [];
}

/** The value of a button comes back with a click. It has all that is needed to show the next state. */
const buttons = (content: CardContent): JsonObject[] => [
  { tag: 'button', type: 'primary', text: plain('Take'), value: { handoff: 'claim', ...content } },
  {
    tag: 'button',
    type: 'danger',
    text: plain('Close conversation'),
    value: { handoff: 'close', ...content },
    confirm: {
      title: plain('Close conversation?'),
      text: plain('The customer gets no more answers from here.'),
    },
  },
];

/** A click on a button of {@link rootCard}; `null` for another card. */
export function readButton(
  value: unknown,
): { readonly action: 'claim' | 'close'; readonly content: CardContent } | null {
  const { handoff, text, reference } = asObject(value);
  if (handoff !== 'claim' && handoff !== 'close') return null;
  return { action: handoff, content: { text: asText(text), reference: asText(reference) } };
}

/** Whether a card is that of a closed conversation. Lark may return the title alone, without the card around it. */
export function isClosedCard(card: JsonObject): boolean {
  const title = asText(asObject(asObject(card.header).title).content) || asText(card.title);
  return title === TITLES.closed;
}

/** The content of a card that Lark returned; `null` when it returned only the texts in it. */
export function cardContent({ elements }: JsonObject): CardContent | null {
  const values = asObjects(elements).flatMap(({ actions }) => asObjects(actions).map(({ value }) => value));
  return values.map(readButton).find((button) => button !== null)?.content ?? null;
}

/** A message that is shown literally: a text message would turn `<at user_id="all">` into a mention. */
export function postContent(text: string): JsonObject {
  const lines = text.split('\n').map((line) => [{ tag: 'text', text: line === '' ? ' ' : line }]);
  // Lark accepts 30 kB, and many short lines take more.
  const content = lines.length <= MAX_LINES ? lines : [[{ tag: 'text', text }]];
  return { zh_cn: { title: '', content } };
}

const MAX_LINES = 100;

/** The card in the `body` of a message. */
export function readCard(content: string): JsonObject {
  try {
    const card: unknown = JSON.parse(content);
    return isObject(card) ? card : {};
  } catch {
    return {};
  }
}
