/**
 * The list of requests and answers, newest first.
 *
 * @typedef {{ id: number, at: number, direction: 'sent' | 'received', what: string, method: string, url: string,
 *   headers: Record<string, string>, body: string | null, faults: string[], error: string | null,
 *   answer: { status: number, headers: Record<string, string>, body: string, latencyMs: number } | null,
 * }} Exchange
 */
import { byId, element } from './dom.js';

const MAX_ITEMS = 200;

const ARROWS = { sent: '→', received: '←' };

const list = byId('exchanges', HTMLOListElement);

/** @type {Map<number, HTMLLIElement>} */
const items = new Map();

export function clearExchanges() {
  items.clear();
  list.replaceChildren();
}

/** @param {Exchange} exchange */
export function showExchange(exchange) {
  const item = items.get(exchange.id) ?? addItem(exchange.id);
  const details = item.firstElementChild;
  const open = details instanceof HTMLDetailsElement && details.open;
  const newDetails = element('details', { open });
  newDetails.append(summaryOf(exchange), element('pre', { textContent: wholeText(exchange) }));
  const hasFocus = details?.contains(document.activeElement);
  item.replaceChildren(newDetails);
  if (hasFocus) newDetails.querySelector('summary')?.focus();
  byId('no-exchanges', HTMLElement).hidden = true;
}

/** @param {number} id */
function addItem(id) {
  const item = element('li');
  items.set(id, item);
  list.prepend(item);
  for (const [oldest, old] of items) {
    if (items.size <= MAX_ITEMS) break;
    items.delete(oldest);
    old.remove();
  }
  return item;
}

/** @param {Exchange} exchange */
function summaryOf(exchange) {
  const { direction, what, method, url, answer, error } = exchange;
  const summary = element('summary');
  const outcome = element('span', { className: 'outcome', textContent: outcomeWords(exchange) });
  if (answer || error) outcome.dataset.good = answer && answer.status < 300 ? 'yes' : 'no';
  summary.append(
    element('span', { className: 'what', textContent: `${ARROWS[direction]} ${what}`, title: direction }),
    element('span', { className: 'path', textContent: `${method} ${pathOf(url)}`, title: url }),
    outcome,
  );
  return summary;
}

/** @param {Exchange} exchange */
function outcomeWords({ answer, error }) {
  if (answer) return `${answer.status} · ${answer.latencyMs} ms`;
  return error ? 'failed' : 'waiting…';
}

/** @param {string} url */
function pathOf(url) {
  return url.replace(/^https?:\/\/[^/]+/, '') || '/';
}

/** @param {Exchange} exchange */
function wholeText({ at, what, method, url, headers, body, faults, answer, error }) {
  const parts = [
    `${new Date(at).toISOString()}  ${what}${faults.length > 0 ? `  faults: ${faults.join(', ')}` : ''}`,
    `${method} ${url}\n${headerLines(headers)}`,
    body ? pretty(body) : '',
    answer ? `answer ${answer.status}\n${headerLines(answer.headers)}` : '',
    answer ? pretty(answer.body) : '',
    error ? `no answer: ${error}` : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

/** @param {Record<string, string>} headers */
function headerLines(headers) {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
