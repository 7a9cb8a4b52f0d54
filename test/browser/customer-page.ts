import type { Locator, Page } from 'playwright-core';

/** The chat page of a customer. */
export interface CustomerPage {
  /** Types into the field and sends with the Enter key. */
  say(text: string): Promise<void>;
  press(button: 'Send' | 'Ask for a human' | 'Close' | 'New customer'): Promise<void>;
  /** Waits for a line of the chat. */
  sees(who: 'user' | 'bot' | 'agent', text: string): Promise<void>;
  /** Waits for the status line of the chat. */
  status(text: string): Promise<void>;
  /** Waits until `count` requests are listed and answered; gives their names, newest first. */
  requests(count: number): Promise<string[]>;
  readonly lines: Locator;
}

/** Wraps a chat page. */
export function customerAt(page: Page): CustomerPage {
  const lines = page.getByRole('log', { name: 'Conversation' });
  const field = page.getByLabel('Your message');
  return {
    lines,
    async say(text) {
      await field.fill(text);
      await field.press('Enter');
    },
    press: (name) => page.getByRole('button', { name }).click(),
    sees: (who, text) => lines.locator(`[data-from="${who}"]`).getByText(text).waitFor(),
    status: (text) => page.getByRole('status').getByText(text).waitFor(),
    async requests(count) {
      await page
        .locator('#exchanges:not(:has(.outcome:not([data-good])))')
        .locator('li')
        .nth(count - 1)
        .waitFor();
      return page.locator('#exchanges .what').allTextContents();
    },
  };
}
