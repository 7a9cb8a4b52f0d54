// @ts-check
import { find, make, press } from './dom.js';

/**
 * The guide through the demo: it knows the next step, and marks the one button that takes it.
 *
 * @typedef {'ask' | 'hello' | 'write' | 'answer' | 'close' | 'done'} Step
 * @typedef {{ question: string, hello: string, complaint: string, answer: string }} Texts
 */

/** @type {readonly Step[]} */
const STEPS = ['ask', 'hello', 'write', 'answer', 'close', 'done'];

/**
 * What to do, in which part of the page, and what it shows.
 *
 * @type {Record<Step, { part: 'customer' | 'agents', text: string, why: string }>}
 */
const INSTRUCTIONS = {
  ask: {
    part: 'customer',
    text: '{place}, ask for a human.',
    why: 'The platform then asks your receiver for an agent.',
  },
  hello: {
    part: 'agents',
    text: '{place}, answer as an agent.',
    why: 'The first answer connects the customer.',
  },
  write: {
    part: 'customer',
    text: '{place}, write back.',
    why: 'The message goes to the agent now, not to the bot.',
  },
  answer: {
    part: 'agents',
    text: '{place}, answer again.',
    why: 'The reply goes to the customer through the platform.',
  },
  close: { part: 'customer', text: '{place}, close the chat.', why: 'The agent could close it as well.' },
  done: {
    part: 'customer',
    text: 'Done: a whole handoff.',
    why: 'Read its requests, try the desk, or make your own: npm create handoff-kit',
  },
};
const OPEN = {
  text: '{place}, open the conversation.',
  why: 'Your receiver accepted it, and it waits for an agent.',
};

/** Time to read what a step has changed. */
const PLAY_PAUSE_MS = 2_900;
/** Changes of the desk come in groups. */
const SETTLE_MS = 30;

/** On a narrow page, tabs show one part at a time. */
const isNarrow = matchMedia('(max-width: 899px)');
const tabs = [...document.querySelectorAll('button[data-show]')];
const frames = [...document.querySelectorAll('iframe')];
const field = find('#text', HTMLTextAreaElement);
const playButton = find('#play', HTMLButtonElement);

/** @type {Texts} */
let texts = { question: '', hello: '', complaint: '', answer: '' };
/** @type {Step} */
let step = 'ask';
/** The handoff that the steps are about. */
let conversation = '';
/** Texts that were already suggested, so that one the user deleted is not filled in again. @type {Set<string>} */
const proposed = new Set();
/** @type {Element | null} */
let next = null;

/** @param {Texts} given */
export function setTexts(given) {
  texts = given;
  refresh();
}

/**
 * @param {Step} to
 * @param {string} conversationId
 */
export function goTo(to, conversationId) {
  step = to;
  conversation = conversationId;
  refresh();
}

/** Finds the next action and marks it. */
export function refresh() {
  const { part } = INSTRUCTIONS[step];
  const isElsewhere = isNarrow.matches && document.body.dataset.pane !== part;
  const action = part === 'agents' ? deskAction() : customerAction();
  const tab = tabs.find((each) => each.getAttribute('data-show') === part) ?? null;
  mark(isElsewhere ? tab : action);
  const { text, why } = action?.matches('[data-conversation]') ? OPEN : INSTRUCTIONS[step];
  showInstruction(text.replace('{place}', placeOf(part, isElsewhere)), why);
  for (const [index, item] of [...find('#steps', HTMLOListElement).children].entries()) {
    const position = STEPS.indexOf(step) - index;
    if (position === 0) item.setAttribute('aria-current', 'step');
    else item.removeAttribute('aria-current');
    item.classList.toggle('done', position > 0);
  }
}

/**
 * @param {'customer' | 'agents'} part
 * @param {boolean} isElsewhere
 */
function placeOf(part, isElsewhere) {
  if (!isNarrow.matches) return part === 'customer' ? 'On the left' : 'At the desk';
  if (!isElsewhere) return 'Below';
  return `In the tab ${part === 'customer' ? 'Customer' : 'Desk'}`;
}

/**
 * @param {string} text
 * @param {string} why
 */
function showInstruction(text, why) {
  const line = find('#step', HTMLElement);
  // Changed only when it differs: screen readers read every change.
  if (line.textContent !== `${text} ${why}`) line.replaceChildren(make('b', '', text), ` ${why}`);
}

/** @param {Element | null} element */
function mark(element) {
  if (next !== element) next?.removeAttribute('data-next');
  next = element;
  next?.setAttribute('data-next', '');
}

/** @returns {Element} */
function customerAction() {
  if (step === 'done') return find('#restart', HTMLButtonElement);
  if (step !== 'write') return find(step === 'close' ? '#leave' : '#ask', HTMLButtonElement);
  propose(field, texts.complaint);
  return field.value.trim() === '' ? field : find('#send', HTMLButtonElement);
}

/** In the desk that is shown: the conversation, until it is open, and then what answers it. @returns {Element | null} */
function deskAction() {
  const frame = frames.find(({ hidden }) => !hidden);
  const page = frame?.contentDocument;
  const item = page?.querySelector('.inbox .waiting [data-conversation], .inbox [data-conversation]');
  if (!frame || !page || !item) return frame ?? null;
  if (!item.matches('[aria-current]')) {
    // On a phone, an open conversation hides the list.
    return item.checkVisibility() ? item : page.querySelector('.conversation-header .back button');
  }
  const text = page.querySelector('.composer.reply textarea');
  if (!text) return page.querySelector('.modes [data-key=reply]') ?? frame;
  propose(/** @type {HTMLTextAreaElement} */ (text), step === 'hello' ? texts.hello : texts.answer);
  return page.querySelector('.composer button[type=submit]:enabled') ?? text;
}

/**
 * Writes a text into an empty field, once for each step.
 *
 * @param {HTMLTextAreaElement} into
 * @param {string} text
 */
function propose(into, text) {
  const key = `${conversation} ${step}`;
  if (proposed.has(key) || text === '') return;
  proposed.add(key);
  if (into.value !== '') return;
  into.value = text;
  into.dispatchEvent(new Event('input', { bubbles: true }));
}

/** The play that goes on. One that was stopped may still be waiting, and must not press anything. @type {object | null} */
let current = null;

/** @param {object | null} started */
function setPlaying(started) {
  current = started;
  playButton.textContent = started ? 'Stop' : 'Play it for me';
  refresh();
}

/** Presses the marked buttons, one after the other, until the end. */
async function play() {
  const own = {};
  setPlaying(own);
  let isRestarting = step === 'done';
  if (isRestarting) find('#restart', HTMLButtonElement).click();
  /** @type {Element | null} */
  let pressed = null;
  let pressedAt = step;
  while (current === own) {
    await new Promise((resolve) => setTimeout(resolve, PLAY_PAUSE_MS));
    if (current !== own) return;
    isRestarting &&= step === 'done';
    if (isRestarting) continue;
    if (step === 'done') return setPlaying(null);
    refresh();
    // The same button again means that its effect is still to come.
    if (!next || next.matches('iframe') || (next === pressed && step === pressedAt)) continue;
    pressed = next;
    pressedAt = step;
    next.scrollIntoView({ block: 'nearest' });
    /** @type {HTMLElement} */ (next).click();
  }
}

/** @param {string} part */
function showPart(part) {
  document.body.dataset.pane = part;
  press(
    tabs,
    tabs.find((tab) => tab.getAttribute('data-show') === part),
  );
  refresh();
}

/** Watches the desk inside a frame, to know which step of the tour is next. @param {HTMLIFrameElement} frame */
function follow(frame) {
  const page = frame.contentDocument;
  if (!page?.body) return;
  const style = page.createElement('link');
  style.rel = 'stylesheet';
  style.href = '/desk-frame.css';
  style.addEventListener('load', () => frame.classList.add('ready'));
  page.head.append(style);
  let timer = 0;
  const onChange = () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, SETTLE_MS);
  };
  const attributeFilter = ['aria-current', 'aria-pressed', 'class', 'disabled'];
  new MutationObserver(onChange).observe(page.body, { subtree: true, childList: true, attributeFilter });
  refresh();
}

for (const tab of tabs) {
  tab.addEventListener('click', () => showPart(tab.getAttribute('data-show') ?? 'customer'));
}
for (const frame of frames) frame.addEventListener('load', () => follow(frame));
isNarrow.addEventListener('change', refresh);
field.addEventListener('input', refresh);
playButton.addEventListener('click', () => {
  if (current) setPlaying(null);
  else void play();
});
