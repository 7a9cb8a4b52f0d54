// @ts-check
import { find, make } from './dom.js';

/**
 * A request and its answer. The simulator has masked all secrets.
 *
 * @typedef {{ id: number, at: number, direction: 'sent' | 'received', what: string, method: string, url: string,
 *   body: string | null, error: string | null,
 *   answer: { status: number, body: string, latencyMs: number } | null }} Exchange
 */

const list = find('#exchanges', HTMLOListElement);

/** @type {Map<number, HTMLLIElement>} */
const items = new Map();

/** @type {Record<string, string>} */
const MEANINGS = {
  'sent message': 'The bot answered: the message webhook gets a copy',
  'sent establish': 'The platform asks for a human',
  'sent chat': 'The customer writes to the agent',
  'sent close': 'The customer closed the chat',
  'received reply': 'The agent answers the customer',
  'received close': 'The agent closes the chat',
  'received addQa': 'The desk teaches the bot an answer',
  'received updateQa': 'The desk teaches the bot one more answer',
};

/** Texts of agents, to tell copies of their replies from answers of the bot. @type {Set<string>} */
const replies = new Set();

export function clearExchanges() {
  items.clear();
  replies.clear();
  list.replaceChildren();
  find('#no-exchanges', HTMLElement).hidden = false;
}

/** Shows an exchange; it comes again when it was answered. @param {Exchange} exchange */
export function showExchange(exchange) {
  const item = items.get(exchange.id) ?? make('li', '');
  if (!items.has(exchange.id)) list.prepend(item);
  items.set(exchange.id, item);
  find('#no-exchanges', HTMLElement).hidden = true;
  const old = item.querySelector('details');
  const details = make('details', '', summaryOf(exchange), ...bodiesOf(exchange));
  details.open = old?.open ?? false;
  const hadFocus = item.contains(document.activeElement);
  item.className = exchange.direction;
  item.replaceChildren(details);
  if (hadFocus) details.querySelector('summary')?.focus();
}

/** @param {Exchange} exchange */
function summaryOf(exchange) {
  const { at, direction, method, url, answer, error } = exchange;
  const path = url.replace(/^https?:\/\/[^/]+/, '').replace(/[^/?\s]*\*{4}/g, '…') || '/';
  const isGood = answer !== null && answer.status < 300;
  const outcome = make('span', answer || error ? (isGood ? 'good' : 'bad') : 'open', outcomeOf(exchange));
  const time = make('time', '', new Date(at).toTimeString().slice(0, 8));
  const arrow = make('span', 'arrow', direction === 'sent' ? '→' : '←');
  arrow.title =
    direction === 'sent' ? 'The platform calls your receiver' : 'Your receiver calls the platform';
  const request = make('code', '', make('b', '', method), ` ${path}`);
  return make('summary', '', time, arrow, make('span', 'meaning', meaningOf(exchange)), request, outcome);
}

/** @param {Exchange} exchange */
function meaningOf({ direction, what, body }) {
  const text = textOf(body);
  if (what === 'reply') replies.add(text);
  if (what === 'message' && replies.has(text)) return 'The message webhook gets a copy of the reply';
  return MEANINGS[`${direction} ${what}`] ?? what;
}

/** The text of a reply or of a bot's message. @param {string | null} body */
function textOf(body) {
  try {
    const { body: text, output } = JSON.parse(body ?? '{}');
    return String(text ?? output?.[0]?.content?.text ?? '');
  } catch {
    return '';
  }
}

/** @param {Exchange} exchange */
function outcomeOf({ answer, error }) {
  if (answer) return `${answer.status < 300 ? 'Accepted' : 'Refused'}: ${answer.status}`;
  return error ? 'No answer' : 'Waiting…';
}

/** @param {Exchange} exchange */
function bodiesOf({ body, answer, error }) {
  const answered = answer ? `Answer ${answer.status}, after ${answer.latencyMs} ms` : 'Answer';
  return [
    make(
      'div',
      'bodies',
      ...block('Request', body ? pretty(body) : 'No body'),
      ...block(answered, answer ? pretty(answer.body) : (error ?? 'Not yet')),
    ),
  ];
}

/**
 * @param {string} title
 * @param {string} text
 */
function block(title, text) {
  return [make('div', '', make('h3', '', title), make('pre', '', text))];
}

/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
