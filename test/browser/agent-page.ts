import type { Locator, Page } from 'playwright-core';
import type { Window } from './start-desk.js';

/** The desk's page of an agent, in English. */
export interface AgentPage {
  readonly page: Page;
  readonly inbox: Locator;
  /** The notice that is shown for a few seconds. */
  readonly notice: Locator;
  /** The timeline of the open conversation. */
  readonly log: Locator;
  /** The text field of the composer. */
  readonly field: Locator;
  /** The item of a customer in the inbox. */
  item(who: string): Locator;
  /** Chooses a view of the inbox. */
  view(name: 'All' | 'Mine' | 'My teams' | 'Mentions' | 'Unassigned' | 'Closed'): Promise<void>;
  /** The item of a customer in one group of the inbox. */
  itemIn(state: 'waiting' | 'active' | 'closed', who: string): Locator;
  /** Opens a conversation by a click. */
  open(who: string): Promise<void>;
  press(button: string): Promise<void>;
  /** Chooses an item of the menu behind the agent's picture. */
  choose(item: string): Promise<void>;
  /** Sends a reply with the button. */
  reply(text: string): Promise<void>;
  note(text: string): Promise<void>;
  /** Chooses an action from the menu of the open conversation. */
  more(action: string): Promise<void>;
  /** Transfers the conversation and confirms it. */
  transferTo(name: string): Promise<void>;
  /** Chooses an item of the menu of canned replies. */
  canned(item: string): Promise<void>;
  /** Closes the conversation and confirms it. */
  close(): Promise<void>;
  /** Waits for a message in the open conversation. */
  sees(from: 'customer' | 'agent', text: string): Promise<void>;
  /** Waits for an event in the timeline. */
  seesEvent(event: string): Promise<void>;
  /** Waits for a reply to be in a state. */
  delivery(text: string, state: 'stored' | 'sent' | 'failed'): Promise<Locator>;
  /** All messages of the open conversation, in order. */
  said(): Promise<string[]>;
}

/** The page of an agent in a window of its own. */
export type AgentWindow = AgentPage & Omit<Window, 'page'>;

/** Chooses an item of the menu behind the agent's picture, in any language. */
export async function chooseInMenu(page: Page, item: string): Promise<void> {
  await page.locator('.top-bar .menu > button').click();
  await page.locator('.top-bar [role^=menuitem]').getByText(item, { exact: true }).click();
}

/** Wraps a page of the desk. */
export function agentAt(page: Page): AgentPage {
  const inbox = page.getByRole('complementary', { name: 'Conversations' });
  const log = page.getByRole('log');
  const field = page.locator('.composer textarea');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const more = async (action: string): Promise<void> => {
    await press('More actions');
    const item = { name: action, exact: true };
    await page.getByRole('menuitem', item).or(page.getByRole('menuitemradio', item)).click();
  };
  const write = async (button: string, text: string, send: string): Promise<void> => {
    await press(button);
    await field.fill(text);
    await press(send);
  };
  const itemsOf = (part: Locator, who: string) =>
    part.getByRole('link').filter({ has: page.locator('.who', { hasText: who }) });
  const line = (text: string) =>
    log.getByRole('listitem').filter({ has: page.getByText(text, { exact: true }) });
  return {
    page,
    inbox,
    log,
    field,
    notice: page.getByRole('status'),
    view: (name) => page.getByRole('navigation', { name: 'Views' }).getByRole('button', { name }).click(),
    item: (who) => itemsOf(inbox, who),
    itemIn: (state, who) => itemsOf(inbox.locator(`.${state}`), who),
    async open(who) {
      // The dashboard and the settings hide the list.
      if (!(await inbox.isVisible())) await page.getByRole('link', { name: 'Conversations' }).click();
      await itemsOf(inbox, who).click();
      await page.getByRole('heading', { name: who }).waitFor();
    },
    press,
    choose: (item) => chooseInMenu(page, item),
    reply: (text) => write('Reply', text, 'Send'),
    note: (text) => write('Note', text, 'Add note'),
    more,
    async transferTo(name) {
      await more('Transfer to…');
      const dialog = page.getByRole('dialog');
      const receiver = dialog.locator('option', { hasText: name });
      await dialog.getByRole('combobox').selectOption((await receiver.textContent()) ?? '');
      await dialog.getByRole('button', { name: 'Transfer' }).click();
    },
    async canned(item) {
      await press('Canned replies');
      await page.getByRole('menuitem', { name: item }).click();
    },
    async close() {
      await press('Close');
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    },
    sees: (from, text) => log.locator(`.from-${from}`).getByText(text, { exact: true }).waitFor(),
    seesEvent: (event) => log.locator('.event').getByText(event).waitFor(),
    async delivery(text, state) {
      const found = line(text).locator(`[data-state=${state}]`);
      await found.waitFor();
      return found;
    },
    said: () => log.locator('.line p').allTextContents(),
  };
}
