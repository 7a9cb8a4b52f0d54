import type { JournalEntry } from '../../api.js';
import { t } from './strings/index.js';

const KEPT_AS = 'handoff-desk-muted';

/** Whether sounds are off. */
export const isMuted = (): boolean => localStorage.getItem(KEPT_AS) === 'yes';

/** Turns sounds off or on. */
export const setMuted = (muted: boolean): void => localStorage.setItem(KEPT_AS, muted ? 'yes' : 'no');

let audio: AudioContext | undefined;
let rungAt = 0;

/** However much comes at once, it sounds so often. */
const RING_EVERY_MS = 2_000;

/**
 * Two short tones. Browsers allow no sound before the first click; then this stays quiet: tones that are never played
 * would be kept for ever.
 */
function ring(): void {
  if (isMuted() || Date.now() - rungAt < RING_EVERY_MS) return;
  rungAt = Date.now();
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

/** Says in the title how many conversations want something. */
export function showInTitle(count: number): void {
  document.title = count > 0 ? `(${count}) ${t('desk')}` : t('desk');
}

/** What is to be announced of an entry, with a sound; `null` when nothing is. Focus stays where it is. */
export function announcementOf({ happening, summary }: JournalEntry, me: string): string | null {
  const who = whoIs(summary.user);
  if (happening.type === 'opened') return t('newArrival', { who });
  const isGiven = happening.type === 'transferred' && happening.to === me && happening.agent !== me;
  if (isGiven) return t('newTransfer', { who });
  const isCustomer = happening.type === 'message' && happening.from === 'customer';
  const isMine = summary.agent === me || summary.agent === null;
  return isCustomer && isMine ? t('newMessage', { who }) : null;
}

/** Sounds, unless muted. */
export function sound(): void {
  try {
    ring();
  } catch {
    // No sound device, or none allowed: the title and the list tell it as well.
  }
}

/** What a customer is called: an id that is theirs. An e-mail address may be shared by many, so it comes last. */
export function whoIs(user: {
  readonly key: string;
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly email: string | null;
}): string {
  return user.userId ?? user.anonymousId ?? user.email ?? user.key;
}
