/** Starts the tiny desk for the conformance kit, reads what agents see, and acts as an agent. */
import type { AdapterFactory, AdapterFactoryInput, AdapterHarness } from 'handoff-kit/testing';
import { type DeskSettings, tinyDesk } from './adapter.js';
import { PAGE_SIZE, startTinyDesk } from './tiny-desk.js';

const TOKEN = 'token-of-the-tiny-desk';
const SECRET = 'secret-of-the-tiny-desk';

export const settingsFor = ({ baseUrl, credentials }: AdapterFactoryInput): DeskSettings => ({
  baseUrl,
  token: credentials === 'right' ? TOKEN : 'wrong-token',
  secret: SECRET,
});

export const createAdapter: AdapterFactory = (site) => tinyDesk(settingsFor(site));

export const harness: AdapterHarness = {
  name: 'Tiny Desk',
  secrets: [TOKEN, SECRET],
  pageSize: PAGE_SIZE,
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
