import type { HumanServiceWebhook, MessageWebhook } from '../simulator/index.js';
import type { ReceiverAddress } from './options.js';

/** The webhooks of the simulated agent, such as a person would type into the platform's settings. */
export function webhookSettings(
  origin: string,
  { path = '/', username, secret, token, handoff, message }: ReceiverAddress,
): { message: MessageWebhook | undefined; humanServices: HumanServiceWebhook[] } {
  const base = path.replace(/\/+$/, '');
  const handoffPath = handoff?.path ?? (token === undefined ? base : `${base}/${token}`);
  return {
    message: message === false ? undefined : { url: `${origin}${base || '/'}`, username, secret },
    humanServices: [
      {
        componentId: 'human-service',
        url: `${origin}${handoffPath}`,
        username: handoff?.username,
        secret: handoff?.secret,
        headers: { ...handoff?.headers },
      },
    ],
  };
}
