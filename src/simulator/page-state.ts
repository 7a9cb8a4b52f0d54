import type { Agents } from './agents.js';
import type { Customer } from './customer.js';
import { FAULTS, type Faults, isFaultKind } from './faults.js';
import type { Traffic } from './traffic.js';

/** What the page shows. */
export interface PageSubject {
  agents: Agents;
  customer: Customer;
  faults: Faults;
  traffic: Traffic;
}

/** Everything that the page shows at this moment. Webhooks' URLs and secrets stay out of it. */
export function pageState({ agents, customer, faults, traffic }: PageSubject) {
  return {
    view: customer.view(),
    lines: customer.lines(),
    components: componentList(agents),
    faults: faultList(faults),
    exchanges: traffic.exchanges(),
  };
}

/** The faults as the page's switches show them. */
export function faultList(faults: Faults) {
  const active = faults.active();
  return Object.entries(FAULTS).map(([kind, { title, hint, fields }]) => {
    const settings = isFaultKind(kind) ? active[kind] : undefined;
    return { kind, title, hint, fields, on: settings !== undefined, settings: settings ?? null };
  });
}

function componentList(agents: Agents) {
  return agents
    .list()
    .filter(({ deleted }) => !deleted)
    .flatMap(({ id, name, humanServices }) =>
      humanServices.map(({ componentId, componentName }) => ({
        agentId: id,
        componentId,
        label: `${componentName} of ${name}`,
      })),
    );
}
