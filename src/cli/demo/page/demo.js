// @ts-check
import { find, make, press } from './dom.js';
import { clearExchanges, showExchange } from './requests.js';
import { goTo, refresh, setTexts } from './tour.js';

/**
 * The customer's chat, the desks, and what the simulated platform reports.
 *
 * @typedef {import('./requests.js').Exchange} Exchange
 * @typedef {{ customerId: string, status: string, endedBy: string | null, conversationId: string | null }} View
 * @typedef {{ id: number, at: number, from: 'user' | 'bot' | 'agent' | 'note', text: string }} Line
 * @typedef {{ botId: string, componentId: string, label: string }} Target
 */

const list = find('#lines', HTMLElement);
const field = find('#text', HTMLTextAreaElement);
const ask = find('#ask', HTMLButtonElement);
const leave = find('#leave', HTMLButtonElement);
const restart = find('#restart', HTMLButtonElement);
const target = find('#target', HTMLSelectElement);

// Makes the chat scrollable by keyboard in every browser.
list.tabIndex = 0;

const NAMES = { user: 'Customer', bot: 'Bot', agent: 'Agent', note: '' };

/** @type {Record<string, string>} */
const STATUS = {
  bot: 'Talks with the bot',
  requesting: 'Asks for a human…',
  connecting: 'Waits for an agent…',
  connected: 'Connected with an agent',
  busy: 'All agents are busy',
};

/** @type {Record<string, string>} */
const ENDED = {
  user: 'Closed by the customer',
  agent: 'Closed by the agent',
  timeout: 'Closed: no agent answered in time',
};

const LIVE = ['requesting', 'connecting', 'connected'];

/** @type {View} */
let view = { customerId: '', status: 'bot', endedBy: null, conversationId: null };
/** @type {Line[]} */
let lines = [];
/** When the platform last asked for a human. */
let askedAt = 0;
const texts = await (await fetch('tour.json')).json();

/** @returns {import('./tour.js').Step} */
function currentStep() {
  const { status, endedBy } = view;
  if (status === 'requesting' || status === 'connecting') return 'hello';
  if (status !== 'connected') return endedBy ? 'done' : 'ask';
  const said = lines.filter(({ at, from }) => at >= askedAt && (from === 'user' || from === 'agent'));
  if (!said.some(({ from }) => from === 'user')) return 'write';
  return said.at(-1)?.from === 'user' ? 'answer' : 'close';
}

const guide = () => goTo(currentStep(), view.conversationId ?? '');

/** @param {View} given */
function showView(given) {
  if (given.customerId !== view.customerId) {
    lines = [];
    list.replaceChildren();
  }
  view = given;
  const isLive = LIVE.includes(view.status);
  const status = find('#status', HTMLElement);
  status.textContent = (view.endedBy && ENDED[view.endedBy]) || (STATUS[view.status] ?? view.status);
  status.dataset.status = view.status;
  const hadFocus = [ask, leave, restart].some((button) => button === document.activeElement);
  ask.hidden = isLive;
  leave.hidden = !isLive;
  restart.hidden = isLive || view.endedBy === null;
  target.hidden = isLive || target.options.length < 2;
  // The button that was pressed is hidden now; the chat shows what came of it.
  if (hadFocus && document.activeElement === document.body) list.focus({ preventScroll: true });
  guide();
}

/** @param {Line} line */
function showLine(line) {
  lines.push(line);
  const name = NAMES[line.from];
  list.append(make('p', line.from, ...(name ? [make('span', 'who', name)] : []), line.text));
  list.scrollTop = list.scrollHeight;
  guide();
}

/** @param {Exchange} exchange */
function noteExchange(exchange) {
  if (exchange.what === 'establish') askedAt = Math.max(askedAt, exchange.at);
  showExchange(exchange);
}

/** @param {{ view: View, lines: Line[], components: Target[], exchanges: Exchange[] }} state */
function showState(state) {
  const options = state.components.map(({ botId, componentId, label }) => {
    const option = make('option', '', label);
    option.value = JSON.stringify({ botId, componentId });
    return option;
  });
  target.replaceChildren(...options);
  clearExchanges();
  for (const exchange of state.exchanges) noteExchange(exchange);
  view = { ...view, customerId: '' };
  showView(state.view);
  for (const line of state.lines) showLine(line);
  if (state.lines.length === 0 && state.view.status === 'bot') void send('say', { text: texts.question });
}

const NO_ANSWER = 'The demo does not answer. If it was stopped, start it again: npx handoff-kit demo';

/** @param {string} message */
function showProblem(message) {
  const problem = find('#problem', HTMLElement);
  problem.textContent = message;
  problem.hidden = message === '';
}

/**
 * An action of the customer.
 *
 * @param {string} action
 * @param {object} body
 */
async function send(action, body) {
  try {
    const response = await fetch(`platform/simulator/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    showProblem(response.ok ? '' : (await response.json()).message);
  } catch {
    showProblem(NO_ANSWER);
  }
}

/** @type {EventSource | undefined} */
let source;

/** Browsers allow six connections per origin and each desk holds one, so a hidden page closes its own. */
function listen() {
  source?.close();
  if (document.hidden) return;
  source = new EventSource('platform/simulator/events');
  const on = { state: showState, view: showView, line: showLine, exchange: noteExchange };
  for (const [type, show] of Object.entries(on)) {
    source.addEventListener(type, ({ data }) => show(JSON.parse(data)));
  }
  source.addEventListener('open', () => showProblem(''));
  source.addEventListener('error', () => showProblem(NO_ANSWER));
}

find('#composer', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  const text = field.value.trim();
  if (text === '') return;
  field.value = '';
  refresh();
  void send('say', { text });
});
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  field.form?.requestSubmit();
});
ask.addEventListener('click', () => void send('handoff', target.value ? JSON.parse(target.value) : {}));
leave.addEventListener('click', () => void send('close', {}));
restart.addEventListener(
  'click',
  () => void send('restart', {}).then(() => send('say', { text: texts.question })),
);

const deskButtons = [...document.querySelectorAll('button[data-desk]')];
/** Shows the desk of an agent. @param {string} name */
function showDesk(name) {
  for (const frame of document.querySelectorAll('iframe')) {
    frame.hidden = frame.id !== name;
    // A desk is loaded when it is first looked at: each takes a connection.
    if (!frame.hidden && !frame.getAttribute('src')) frame.src = `${name}/`;
  }
  press(
    deskButtons,
    deskButtons.find((button) => button.getAttribute('data-desk') === name),
  );
  find('#whole-desk', HTMLAnchorElement).href = `${name}/`;
  refresh();
}
for (const button of deskButtons) {
  button.addEventListener('click', () => showDesk(button.getAttribute('data-desk') ?? 'desk'));
}

setTexts(texts);
showDesk('desk');
document.addEventListener('visibilitychange', listen);
listen();
