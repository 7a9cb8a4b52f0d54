/**
 * The panel that switches faults on and off.
 *
 * @typedef {{ name: string, label: string, value: number | string }} Field
 * @typedef {{ kind: string, title: string, hint: string, on: boolean, fields: Field[],
 *   settings: Record<string, string | number> | null }} Fault
 */
import { byId, element, send } from './dom.js';

const list = byId('faults', HTMLUListElement);

// Closed on small screens, where the panel would hide everything else.
byId('faults-panel', HTMLDetailsElement).open = matchMedia('(min-width: 900px)').matches;

/** @type {Map<string, (fault: Fault) => void>} */
const updates = new Map();

/** @param {Fault[]} faults */
export function showFaults(faults) {
  for (const fault of faults) {
    const update = updates.get(fault.kind) ?? addRow(fault);
    update(fault);
  }
  const activeCount = faults.filter((fault) => fault.on).length;
  byId('fault-count', HTMLElement).textContent = activeCount > 0 ? `${activeCount} on` : '';
}

/** @param {Fault} fault */
function addRow(fault) {
  const box = element('input', { type: 'checkbox' });
  const label = element('label', { className: 'switch' });
  label.append(box, fault.title);
  const hint = element('p', { className: 'hint', textContent: fault.hint, id: `hint-${fault.kind}` });
  box.setAttribute('aria-describedby', hint.id);

  const inputs = [...fault.fields, { name: 'times', label: 'Times', value: '' }].map(makeInput);
  const fields = element('div', { className: 'fields' });
  fields.append(...inputs.map((input) => input.label));

  const apply = async () => {
    const filled = inputs.filter(({ input }) => input.value !== '');
    const settings = Object.fromEntries(filled.map(({ name, input, read }) => [name, read(input.value)]));
    const isSent = await send('faults', { kind: fault.kind, on: box.checked, settings });
    if (!isSent) box.checked = false;
  };
  box.addEventListener('change', () => void apply());
  for (const { input } of inputs) input.addEventListener('change', () => box.checked && void apply());

  const item = element('li', { className: 'fault' });
  item.append(label, hint, fields);
  list.append(item);

  /** @param {Fault} now */
  const update = (now) => {
    box.checked = now.on;
    for (const { name, input } of inputs) {
      const value = now.settings?.[name];
      if (value !== undefined && document.activeElement !== input) input.value = String(value);
    }
  };
  updates.set(fault.kind, update);
  return update;
}

/** @param {Field} field */
function makeInput({ name, label, value }) {
  const isUrl = name === 'url';
  const input = element('input', { type: isUrl ? 'url' : 'number', value: String(value) });
  if (isUrl) input.placeholder = 'http://127.0.0.1:3001/webhook';
  else input.min = '0';
  if (name === 'times') input.placeholder = 'always';
  const labelElement = element('label');
  labelElement.append(label, input);
  return { name, input, label: labelElement, read: isUrl ? String : Number };
}
