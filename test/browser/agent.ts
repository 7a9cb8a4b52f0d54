import type { Locator, Page } from 'playwright-core';
import type { Window } from './desk-rig.js';

/** What an agent sees and does at the desk, in English. */
export interface AgentOnPage {
  readonly page: Page;
  readonly inbox: Locator;
  /** What is shown for a while at the top. */
  readonly notice: Locator;
  /** What goes on in the conversation that is open. */
  readonly log: Locator;
  /** Where it is written. */
  readonly field: Locator;
  /** The list's entry of a customer. */
  item(who: string): Locator;
  /** The list's entry of a customer, where it stands among those that wait, are active or closed. */
  itemIn(state: 'waiting' | 'active' | 'closed', who: string): Locator;
  /** Opens a conversation with a click. */
  open(who: string): Promise<void>;
  press(button: string): Promise<void>;
  /** Writes to the customer, and sends it with the button. */
  reply(text: string): Promise<void>;
  note(text: string): Promise<void>;
  transferTo(name: string): Promise<void>;
  /** Closes the conversation, and says yes when asked. */
  close(): Promise<void>;
  /** Waits for something in the open conversation. */
  sees(from: 'customer' | 'agent', text: string): Promise<void>;
  /** Waits for a line about what happened. */
  hears(event: string): Promise<void>;
  /** Waits for a reply to be in a state. */
  delivery(text: string, state: 'stored' | 'sent' | 'failed'): Promise<Locator>;
  /** All that was said in the open conversation, in order. */
  said(): Promise<string[]>;
}

/** An agent in a window of their own. */
export type AgentAtDesk = AgentOnPage & Omit<Window, 'page'>;

/** Puts an agent before a page of the desk. */
export function agentAt(page: Page): AgentOnPage {
  const inbox = page.getByRole('complementary', { name: 'Conversations' });
  const log = page.getByRole('log');
  const field = page.locator('.composer textarea');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const write = async (button: string, text: string, send: string): Promise<void> => {
    await press(button);
    await field.fill(text);
    await press(send);
  };
  const line = (text: string) =>
    log.getByRole('listitem').filter({ has: page.getByText(text, { exact: true }) });
  return {
    page,
    inbox,
    log,
    field,
    notice: page.getByRole('status'),
    item: (who) => inbox.getByRole('link').filter({ hasText: who }),
    itemIn: (state, who) => inbox.locator(`.${state}`).getByRole('link').filter({ hasText: who }),
    async open(who) {
      await inbox.getByRole('link').filter({ hasText: who }).click();
      await page.getByRole('heading', { name: who }).waitFor();
    },
    press,
    reply: (text) => write('Reply', text, 'Send'),
    note: (text) => write('Note', text, 'Add note'),
    async transferTo(name) {
      await page.getByLabel('Transfer to…').selectOption({ label: name });
    },
    async close() {
      await press('Close');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    },
    sees: (from, text) => log.locator(`.from-${from}`).getByText(text, { exact: true }).waitFor(),
    hears: (event) => log.locator('.event').getByText(event).waitFor(),
    async delivery(text, state) {
      const found = line(text).locator(`[data-state=${state}]`);
      await found.waitFor();
      return found;
    },
    said: () => log.locator('.line p').allTextContents(),
  };
}
