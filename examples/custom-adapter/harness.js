// @ts-check
/** Starts the tiny desk for the conformance kit, reads what agents see, and acts as an agent. */
import { tinyDesk } from './adapter.js';
import { startTinyDesk } from './tiny-desk.js';

const TOKEN = 'token-of-the-tiny-desk';
const SECRET = 'secret-of-the-tiny-desk';

/** @param {import('handoff-kit/testing').AdapterFactoryInput} site */
export const settingsFor = ({ baseUrl, credentials }) => ({
  baseUrl,
  token: credentials === 'right' ? TOKEN : 'wrong-token',
  secret: SECRET,
});

/** @type {import('handoff-kit/testing').AdapterFactory} */
export const createAdapter = (site) => tinyDesk(settingsFor(site));

/** @type {import('handoff-kit/testing').AdapterHarness} */
export const harness = {
  name: 'Tiny Desk',
  secrets: [TOKEN, SECRET],
  async start({ webhookUrl }) {
    const desk = await startTinyDesk({ token: TOKEN, secret: SECRET, webhookUrl });
    return {
      baseUrl: desk.url,
      list: async () => [...desk.cases.keys()],
      async read(externalId) {
        const { status, entries, customer } = desk.cases.get(externalId) ?? { entries: [], customer: null };
        const shown = entries.filter(({ author }) => author === 'api').map(({ text }) => text);
        return { isClosed: status === 'closed', shown, customer };
      },
      agent: desk.agent,
      stop: () => desk.stop(),
    };
  },
};
