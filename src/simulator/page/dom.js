/**
 * The element with this id. Page and script are served together, so a missing element is a bug.
 *
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${id}`);
}

/**
 * Creates an element with the given properties.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [properties]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}

/** @param {string} message shown to the user; an empty text hides the last message */
export function showProblem(message) {
  const problem = byId('problem', HTMLElement);
  problem.textContent = message;
  problem.hidden = message === '';
}

/**
 * Runs an action of the simulator and shows its error, if any.
 *
 * @param {string} action
 * @param {object} body
 * @returns {Promise<boolean>} whether it succeeded
 */
export async function send(action, body) {
  try {
    const response = await fetch(`simulator/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    showProblem(response.ok ? '' : answer.message);
    return response.ok;
  } catch {
    showProblem('The simulator does not answer. Is it still running?');
    return false;
  }
}
