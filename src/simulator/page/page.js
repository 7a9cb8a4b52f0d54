/**
 * The simulator's page. All content is untrusted, so it is inserted as text and never as markup.
 *
 * @typedef {{ status: string, endedBy: string | null, customerId: string }} View
 * @typedef {{ id: number, at: number, from: 'user' | 'bot' | 'agent' | 'note', text: string }} Line
 * @typedef {{ botId: string, componentId: string, label: string }} Target
 * @typedef {import('./faults.js').Fault} Fault
 * @typedef {import('./exchanges.js').Exchange} Exchange
 */
import { byId, element, send, showProblem } from './dom.js';
import { clearExchanges, showExchange } from './exchanges.js';
import { showFaults } from './faults.js';

const NAMES = { user: 'You', bot: 'Bot', agent: 'Agent', note: '' };

/** @type {Record<string, string>} */
const STATUS_WORDS = {
  bot: 'Talking with the bot',
  requesting: 'Asking for a human…',
  connecting: 'Connecting: waiting for the first reply…',
  connected: 'Connected with an agent',
  busy: 'All agents are busy. Talking with the bot',
};

/** @type {Record<string, string>} */
const ENDED_WORDS = {
  user: 'You left the agent. Talking with the bot',
  agent: 'The agent closed the conversation. Talking with the bot',
  timeout: 'The conversation timed out. Talking with the bot',
};

const LIVE = ['requesting', 'connecting', 'connected'];

const lines = byId('lines', HTMLOListElement);
const status = byId('status', HTMLElement);
const text = byId('text', HTMLTextAreaElement);
const target = byId('target', HTMLSelectElement);
const ask = byId('ask', HTMLButtonElement);
const leave = byId('leave', HTMLButtonElement);
// Makes the list scrollable by keyboard in every browser.
lines.tabIndex = 0;
let customerId = '';

/** @param {View} view */
function showView(view) {
  if (view.customerId !== customerId) lines.replaceChildren();
  customerId = view.customerId;
  const isHandedOver = LIVE.includes(view.status);
  status.textContent =
    (view.endedBy && ENDED_WORDS[view.endedBy]) || STATUS_WORDS[view.status] || view.status;
  status.dataset.status = view.status;
  // Move the focus before its button is disabled.
  if (isHandedOver ? document.activeElement === ask : document.activeElement === leave) text.focus();
  ask.disabled = isHandedOver;
  leave.disabled = !isHandedOver;
  byId('hint', HTMLElement).hidden = lines.childElementCount > 0;
}

/** @param {Line} line */
function showLine(line) {
  const item = element('li', { className: 'line' });
  item.dataset.from = line.from;
  if (NAMES[line.from]) item.append(element('span', { className: 'who', textContent: NAMES[line.from] }));
  item.append(line.text);
  lines.append(item);
  lines.scrollTop = lines.scrollHeight;
  byId('hint', HTMLElement).hidden = true;
}

/** @param {Target[]} targets */
function showTargets(targets) {
  const options = targets.map(({ botId, componentId, label }) =>
    element('option', { value: JSON.stringify({ botId, componentId }), textContent: label }),
  );
  target.replaceChildren(...options);
  byId('target-row', HTMLElement).hidden = targets.length < 2;
}

/** @param {{ view: View, lines: Line[], components: Target[], faults: Fault[], exchanges: Exchange[] }} state */
function showState(state) {
  customerId = '';
  showView(state.view);
  for (const line of state.lines) showLine(line);
  showTargets(state.components);
  showFaults(state.faults);
  clearExchanges();
  for (const exchange of state.exchanges) showExchange(exchange);
}

function listen() {
  const source = new EventSource('simulator/events');
  const connection = byId('connection', HTMLElement);
  const renderers = {
    state: showState,
    view: showView,
    line: showLine,
    faults: showFaults,
    exchange: showExchange,
  };
  for (const [type, show] of Object.entries(renderers))
    source.addEventListener(type, (event) => show(JSON.parse(event.data)));
  source.addEventListener('open', () => {
    connection.textContent = '';
  });
  source.addEventListener('error', () => {
    connection.textContent = 'The simulator does not answer; trying again…';
  });
}

byId('composer', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
  const message = text.value.trim();
  if (message === '') return;
  text.value = '';
  void send('say', { text: message });
});

text.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  text.form?.requestSubmit();
});

ask.addEventListener('click', () => void send('handoff', target.value ? JSON.parse(target.value) : {}));
leave.addEventListener('click', () => void send('close', {}));
byId('restart', HTMLButtonElement).addEventListener('click', () => {
  showProblem('');
  void send('restart', {});
  text.focus();
});

listen();
