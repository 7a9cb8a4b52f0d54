// @ts-check

/** @typedef {{ id: number, direction: 'sent' | 'received', what: string, method: string, url: string, answer: { status: number } | null, error: string | null }} Exchange */

/**
 * @template {Element} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
function find(selector, kind) {
  const element = document.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`${selector} is missing`);
}

const list = find('#exchanges', HTMLOListElement);
const step = find('#step', HTMLElement);

/** What an exchange means, and what to do next. @type {Record<string, readonly [string, string]>} */
const MEANING = {
  'sent message': [
    'The AI agent answers, and your receiver hears of it.',
    'Now ask for a human on the left.',
  ],
  'sent establish': [
    'The platform asks your receiver for a human; the desk takes the conversation.',
    'It waits on the right: choose it, read what was said, and answer.',
  ],
  'sent chat': ['The customer writes; it goes to the desk.', 'Answer on the right.'],
  'received reply': [
    'The desk answers through the platform.',
    'The customer sees it. Write on, or close from either side.',
  ],
  'sent close': [
    'The customer left; the desk is told.',
    'Done: a whole handoff. Ask again on the left, or teach the AI the answer.',
  ],
  'received close': [
    'The desk closed the conversation; the customer is told.',
    'Done: a whole handoff. Ask again on the left.',
  ],
  'received addQa': [
    'The desk teaches the AI agent an answer.',
    'Ask the same on the left: the AI knows it now.',
  ],
  'received updateQa': [
    'The desk teaches the AI agent one more answer.',
    'Ask the same on the left: the AI knows it now.',
  ],
};

/** Replies of humans are copied to the message webhook as well: they are no news. @type {readonly [string, string]} */
const COPIED = ['The platform tells the message webhook of the reply as well.', ''];

/** The lines, by the exchange's id: an exchange comes again once it was answered. @type {Map<number, { line: HTMLLIElement, meaning: readonly [string, string] }>} */
const lines = new Map();

let isHandedOver = false;

/**
 * @param {Exchange} exchange
 * @returns {readonly [string, string]}
 */
function meaningOf({ direction, what }) {
  if (what === 'message' && isHandedOver) return COPIED;
  return MEANING[`${direction} ${what}`] ?? [`${what}.`, ''];
}

/** @param {Exchange} exchange */
function show(exchange) {
  const { id, direction, what, method, url, answer, error } = exchange;
  const known = lines.get(id);
  const line = known?.line ?? document.createElement('li');
  const [meaning, next] = known?.meaning ?? meaningOf(exchange);
  if (!known) list.prepend(line);
  lines.set(id, { line, meaning: [meaning, next] });
  const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/[^/?\s]*\*{4}/g, '…');
  const code = document.createElement('code');
  code.textContent = ` ${method} ${path}`;
  const outcome = document.createElement('span');
  outcome.textContent = answer ? ` ${answer.status}` : error ? ` no answer: ${error}` : ' …';
  outcome.className = answer?.status === 200 || (!answer && !error) ? '' : 'bad';
  line.replaceChildren(`${direction === 'sent' ? '→' : '←'} ${meaning}`, code, outcome);
  if (what === 'establish') isHandedOver = true;
  if (what === 'close') isHandedOver = false;
  if (next !== '' && !known) step.textContent = next;
}

/** @type {EventSource | undefined} */
let source;

/** A browser has six connections to an address, and the two frames hold one each: who does not look needs none. */
function listen() {
  source?.close();
  if (document.hidden) return;
  source = new EventSource('service/simulator/events');
  source.addEventListener('state', ({ data }) => {
    isHandedOver = false;
    lines.clear();
    list.replaceChildren();
    for (const exchange of JSON.parse(data).exchanges) show(exchange);
  });
  source.addEventListener('exchange', ({ data }) => show(JSON.parse(data)));
}

const token = new URLSearchParams(location.search).get('token');
// It works once; nobody who looks over a shoulder or into the history gets in with it again.
history.replaceState(null, '', location.pathname);
find('#desk', HTMLIFrameElement).src = token ? `desk/enter?token=${encodeURIComponent(token)}` : 'desk/';
document.addEventListener('visibilitychange', listen);
listen();
