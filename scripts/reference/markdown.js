// @ts-check

/** Text for a cell of a table: nothing that ends the cell, and nothing that is read as an HTML tag. */
export const cell = (/** @type {string} */ text) =>
  text
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|')
    .replace(/<([\w:.-]+)>/g, '`<$1>`');

/**
 * A table.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows Cells that are escaped already.
 */
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** A block of code. */
export const block = (/** @type {string} */ language, /** @type {string} */ code) =>
  `\`\`\`${language}\n${code.replace(/^\n+|\s+$/g, '')}\n\`\`\``;

/** A page of paragraphs. */
export const page = (/** @type {readonly (string | null)[]} */ parts) =>
  `${parts.filter((part) => part !== null && part !== '').join('\n\n')}\n`;
