import type { ConversationUpdate } from '../../api.js';
import { customerName } from './identity.js';
import { showInIcon } from './notifications.js';
import { t } from './strings/index.js';

const STORAGE_KEY = 'handoff-desk-muted';

/** Whether sounds are off. */
export const isMuted = (): boolean => localStorage.getItem(STORAGE_KEY) === 'yes';

/** Turns sounds off or on. */
export const setMuted = (muted: boolean): void => localStorage.setItem(STORAGE_KEY, muted ? 'yes' : 'no');

let audio: AudioContext | undefined;
let lastPlayedAt = 0;

/** Sounds play at most this often. */
const SOUND_INTERVAL_MS = 2_000;

/** Two short tones. Before the first click browsers allow no sound, and scheduled tones would leak memory. */
function playTones(): void {
  if (isMuted() || Date.now() - lastPlayedAt < SOUND_INTERVAL_MS) return;
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
    // No sound device, or sound is not allowed. The title and the inbox show the update, too.
  }
}
