import type { Check } from '../check.js';
import { found } from '../failure.js';
import { isShownOnce } from '../seen.js';
import { createWholePath } from '../whole-path.js';

/** How long the system asks to be left alone, and by how much clocks may be out. */
const ASKED_FOR_MS = 1_000;
const CLOCKS_DIFFER_MS = 100;

/** What becomes of a user's words while the system refuses them. */
export const outageChecks: readonly Check[] = [
  {
    id: 'rate-limit-honoured',
    title: '429 is honoured, and what waited is sent',
    expected: 'what the user said is shown once, after the time that the system asked for.',
    advice: 'see rate-limited.',
    async run(rig) {
      const path = await createWholePath(rig);
      const { user, externalId } = await path.handOver();
      const before = rig.proxy.requests.length;
      rig.proxy.answer(rig.refusals.rateLimited(ASKED_FOR_MS / 1_000), { match: ({ writes }) => writes });
      await user.say('One moment, please.');
      await isShownOnce(rig, externalId, 'One moment, please.');
      const [refused, again] = rig.proxy.requests.slice(before).filter(({ writes }) => writes);
      const waited = Math.round((again?.at ?? Number.POSITIVE_INFINITY) - (refused?.at ?? 0));
      if (waited < ASKED_FOR_MS - CLOCKS_DIFFER_MS) found(`it was tried again after ${waited} ms.`);
    },
  },
  {
    id: 'outage',
    title: '5xx is tried again, and order is kept',
    expected: 'what the user said during a short outage is shown once and in order.',
    advice:
      'see unavailable. Send nothing in the background: the bridge waits for send before it sends the next.',
    async run(rig) {
      const path = await createWholePath(rig);
      const { user, externalId } = await path.handOver();
      rig.proxy.answer(rig.refusals.unavailable, { times: 2, match: ({ writes }) => writes });
      const words = ['One of three.', 'Two of three.', 'Three of three.'];
      await Promise.all(words.map((text) => user.say(text)));
      for (const text of words) await isShownOnce(rig, externalId, text);
      const all = (await rig.system.read(externalId)).shown.join('\n');
      const places = words.map((text) => all.indexOf(text));
      if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0)))
        found('the words are in another order than the user said them.');
    },
  },
  {
    id: 'refused-told',
    title: '401 is not tried again, and operators are told',
    expected: 'a single request, and an error in the log that says that the credentials are refused.',
    advice: 'see unauthorized.',
    async run(rig) {
      const path = await createWholePath(rig);
      const { user } = await path.handOver();
      const before = rig.proxy.requests.length;
      rig.proxy.answer(rig.refusals.unauthorized, {
        times: Number.POSITIVE_INFINITY,
        match: ({ writes }) => writes,
      });
      // It is not answered before somebody has put the credentials right.
      const saying = user.say('Is anybody there?').catch(() => {});
      await rig.until('the log to say that the credentials are refused', () =>
        rig.recorded.errors().some((line) => line.includes('credentials refused')),
      );
      const asked = rig.proxy.requests.slice(before).filter(({ writes }) => writes).length;
      await path.stopProcess();
      await saying;
      if (asked !== 1) found(`the message was sent ${asked} times.`);
    },
  },
];
