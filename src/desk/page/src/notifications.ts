import { isOn, setOn } from './preferences.js';
import { t } from './strings/index.js';
import { withVisibleBidi } from './visible-bidi.js';

/** Turns notifications of the system on or off; resolves to whether they are on, which the browser may refuse. */
export async function setNotifications(on: boolean): Promise<boolean> {
  const isAllowed = on && 'Notification' in window && (await Notification.requestPermission()) === 'granted';
  setOn('notifications', isAllowed);
  return isAllowed;
}

/** Shows a notification of the system while the page is hidden. It names the customer, and never what they wrote. */
export function notifySystem(text: string, href: string): void {
  if (!document.hidden || !isOn('notifications') || !('Notification' in window)) return;
  if (Notification.permission !== 'granted') return;
  try {
    // One per conversation, also from several tabs.
    const notification = new Notification(t('desk'), { body: withVisibleBidi(text), tag: href });
    notification.addEventListener('click', () => {
      focus();
      location.hash = href;
      notification.close();
    });
  } catch {
    // Chrome on Android has no notifications without a service worker. Title and sound remain.
  }
}

/** Shows in the icon of the tab whether something needs attention. */
export function showInIcon(count: number): void {
  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const href = count > 0 ? './icon-alert.svg' : './icon.svg';
  if (icon && icon.getAttribute('href') !== href) icon.setAttribute('href', href);
}
