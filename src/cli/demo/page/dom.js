// @ts-check

/**
 * The element of a selector. Page and script are served together, so a missing one is a bug.
 *
 * @template {Element} Kind
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(selector, kind) {
  const element = document.querySelector(selector);
  if (element instanceof kind) return element;
  throw new Error(`${selector} is missing`);
}

/**
 * Creates an element. Content is untrusted: it is text, never markup.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {...(Node | string)} content
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}

/**
 * Marks one of several buttons as pressed.
 *
 * @param {Iterable<Element>} buttons
 * @param {Element | undefined} pressed
 */
export function press(buttons, pressed) {
  for (const button of buttons) button.setAttribute('aria-pressed', String(button === pressed));
}
