import type { ConversationUpdate } from '../../api.js';
import type { Client } from './client.js';
import { subscribe, unsubscribe, workerOf } from './push.js';
import { customerName } from './shared/elements.js';
import { withVisibleBidi } from './shared/rich-text.js';
import { isPreferred, setPreferred } from './store.js';
import { t } from './strings/index.js';

let audio: AudioContext | undefined;
let lastPlayedAt = 0;

/** Sounds play at most this often. */
const SOUND_INTERVAL_MS = 2_000;

/** Two short tones. Before the first click browsers allow no sound, and scheduled tones would leak memory. */
function playTones(): void {
  if (isPreferred('muted') || Date.now() - lastPlayedAt < SOUND_INTERVAL_MS) return;
  lastPlayedAt = Date.now();
  audio ??= new AudioContext();
  if (audio.state !== 'running') return void audio.resume();
  for (const [index, frequency] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const at = audio.currentTime + index * 0.15;
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(0.08, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.14);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.15);
  }
}

/** Shows the number of conversations that need attention in the title, and that there are any in the icon. */
export function showInTitle(count: number): void {
  showInIcon(count);
  document.title = count > 0 ? `(${count}) ${t('desk')}` : t('desk');
}

/** The announcement of an update; `null` when it needs none. */
export function announcementOf({ event, summary }: ConversationUpdate, me: string): string | null {
  const who = customerName(summary.user);
  if (event.type === 'opened') return t('newArrival', { who });
  const isTransferToMe = event.type === 'transferred' && event.to === me && event.agent !== me;
  if (isTransferToMe || (event.type === 'assigned' && event.agent === me)) return t('newTransfer', { who });
  if (event.type === 'note' && event.mentions?.includes(me)) return t('newMention', { who });
  const isCustomerMessage = event.type === 'message' && event.from === 'customer';
  const isMine = summary.agent === me || summary.agent === null;
  return isCustomerMessage && isMine ? t('newMessage', { who }) : null;
}

/** Plays a sound, unless muted. */
export function playSound(): void {
  try {
    playTones();
  } catch {
    // No sound device, or sound is not allowed. The title and the inbox show the update as well.
  }
}

/**
 * Turns system notifications on or off; resolves to whether they are on, since the browser may refuse: `push` if they come
 * while the page is closed, too.
 */
export async function setNotifications(on: boolean, client: Client): Promise<boolean | 'push'> {
  const isAllowed = on && 'Notification' in window && (await Notification.requestPermission()) === 'granted';
  setPreferred('notifications', isAllowed);
  if (!isAllowed) await unsubscribe(client).catch(() => undefined);
  return isAllowed && (await subscribe(client)) ? 'push' : isAllowed;
}

/** Shows a system notification while the page is hidden. It names the customer, but never quotes them. */
export async function notifySystem(text: string, href: string): Promise<void> {
  if (!document.hidden || !isPreferred('notifications') || !('Notification' in window)) return;
  if (Notification.permission !== 'granted') return;
  // One per conversation, also from several tabs, and the same one that the desk pushes.
  const options = { body: withVisibleBidi(text), tag: href };
  try {
    const worker = await workerOf();
    if (worker?.active) return await worker.showNotification(t('desk'), options);
    const notification = new Notification(t('desk'), options);
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
