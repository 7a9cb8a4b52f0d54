/** Small helpers of the page. */

/**
 * The element of an id; the page and its script come from the same place, so it is there.
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
 * A new element with some of its properties set.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} [properties]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}) {
  return Object.assign(document.createElement(tag), properties);
}

/** @param {string} message what to tell the person; nothing takes the last one away */
export function showProblem(message) {
  const problem = byId('problem', HTMLElement);
  problem.textContent = message;
  problem.hidden = message === '';
}

/**
 * Does something in the simulator, and shows its refusal.
 *
 * @param {string} action
 * @param {object} body
 * @returns {Promise<boolean>} whether it was done
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
