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

/** On a phone the desk is below the customer, otherwise beside it. */
const isNarrow = matchMedia('(max-width: 800px)');
let currentStep =
  'A customer is {customer}, the desk where you answer {desk}. Begin {customer}: write something.';

/** @param {string} text */
function showStep(text) {
  currentStep = text;
  const places = isNarrow.matches
    ? { customer: 'above', desk: 'below' }
    : { customer: 'on the left', desk: 'on the right' };
  step.textContent = text.replaceAll('{customer}', places.customer).replaceAll('{desk}', places.desk);
}

/** The meaning of an exchange, and the next step. @type {Record<string, readonly [string, string]>} */
const EXPLANATIONS = {
  'sent message': ['The bot answers, and your receiver gets the message.', 'Now ask for a human {customer}.'],
  'sent establish': [
    'The platform asks your receiver for an agent; the desk takes the conversation.',
    'It waits {desk}: choose it, read what was said, and answer.',
  ],
  'sent chat': ['The customer writes; it goes to the desk.', 'Answer {desk}.'],
  'received reply': [
    'The desk answers through the platform.',
    'The customer sees it. Write on, or close from either side.',
  ],
  'sent close': [
    'The customer left; the desk is told.',
    'Done: a whole handoff. Ask again {customer}, or teach the bot the answer.',
  ],
  'received close': [
    'The desk closed the conversation; the customer is told.',
    'Done: a whole handoff. Ask again {customer}.',
  ],
  'received addQa': ['The desk teaches the bot an answer.', 'Ask the same {customer}: the bot knows it now.'],
  'received updateQa': [
    'The desk teaches the bot one more answer.',
    'Ask the same {customer}: the bot knows it now.',
  ],
};

/** The platform also sends replies of agents to the message webhook. @type {readonly [string, string]} */
const COPIED_REPLY = ['The platform sends the reply to the message webhook as well.', ''];

/** Lines by exchange id; an exchange is sent again when it was answered. @type {Map<number, { line: HTMLLIElement, explanation: readonly [string, string] }>} */
const lines = new Map();

let isHandedOver = false;

/**
 * @param {Exchange} exchange
 * @returns {readonly [string, string]}
 */
function explain({ direction, what }) {
  if (what === 'message' && isHandedOver) return COPIED_REPLY;
  return EXPLANATIONS[`${direction} ${what}`] ?? [`${what}.`, ''];
}

/** @param {Exchange} exchange */
function show(exchange) {
  const { id, direction, what, method, url, answer, error } = exchange;
  const known = lines.get(id);
  const line = known?.line ?? document.createElement('li');
  const [meaning, next] = known?.explanation ?? explain(exchange);
  if (!known) list.prepend(line);
  lines.set(id, { line, explanation: [meaning, next] });
  const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/[^/?\s]*\*{4}/g, '…');
  const code = document.createElement('code');
  code.textContent = ` ${method} ${path}`;
  const outcome = document.createElement('span');
  outcome.textContent = answer ? ` ${answer.status}` : error ? ` no answer: ${error}` : ' …';
  outcome.className = answer?.status === 200 || (!answer && !error) ? '' : 'bad';
  line.replaceChildren(`${direction === 'sent' ? '→' : '←'} ${meaning}`, code, outcome);
  if (what === 'establish') isHandedOver = true;
  if (what === 'close') isHandedOver = false;
  if (next !== '' && !known) showStep(next);
}

/** @type {EventSource | undefined} */
let source;

/** Browsers allow six connections per origin and the frames hold two, so a hidden page closes its own. */
function listen() {
  source?.close();
  if (document.hidden) return;
  source = new EventSource('platform/simulator/events');
  source.addEventListener('state', ({ data }) => {
    isHandedOver = false;
    lines.clear();
    list.replaceChildren();
    for (const exchange of JSON.parse(data).exchanges) show(exchange);
  });
  source.addEventListener('exchange', ({ data }) => show(JSON.parse(data)));
}

const tokens = new URLSearchParams(location.search);
// The tokens work once; they are removed from the address bar and the history.
history.replaceState(null, '', location.pathname);

/** Loads the desk of an agent. @param {'desk' | 'colleague'} name */
function openDesk(name) {
  const token = tokens.get(name === 'desk' ? 'token' : 'colleague');
  tokens.delete(name === 'desk' ? 'token' : 'colleague');
  find(`#${name}`, HTMLIFrameElement).src = token
    ? `${name}/enter?token=${encodeURIComponent(token)}`
    : `${name}/`;
}

const deskButtons = [...document.querySelectorAll('button[data-desk]')];
for (const button of deskButtons) {
  button.addEventListener('click', () => {
    for (const each of deskButtons) {
      const name = each.getAttribute('data-desk') === 'colleague' ? 'colleague' : 'desk';
      const frame = find(`#${name}`, HTMLIFrameElement);
      each.setAttribute('aria-pressed', String(each === button));
      frame.hidden = each !== button;
      // The colleague's desk is loaded when it is first looked at: each open desk takes a connection.
      if (each === button && !frame.getAttribute('src')) openDesk(name);
    }
  });
}

isNarrow.addEventListener('change', () => showStep(currentStep));
showStep(currentStep);
openDesk('desk');
document.addEventListener('visibilitychange', listen);
listen();
