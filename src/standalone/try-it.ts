import type { SettingKey, Settings } from './settings-schema.js';

/** A command to try the receiver with. */
export interface TryCommand {
  /** What it plays. */
  readonly title: string;
  /** A line for a shell. */
  readonly command: string;
}

/** Where the receiver is and which of its credentials were made up, and so may be shown. */
export interface TryOptions {
  readonly url: string;
  readonly settings: Settings;
  readonly generated: readonly SettingKey[];
}

/** The commands that play the service: one for each kind of event, and an availability test. */
export function tryCommands(options: TryOptions): TryCommand[] {
  const message = messageTarget(options);
  const handoff = handoffTarget(options, message);
  const conversation_id = 'handoff-1';
  return [
    {
      title: "an agent's answer",
      command: curl(message, '', {
        conversation_id: 'conversation-1',
        message_id: 'message-1',
        user_id: 'user-1',
        create_time: 1_742_265_090,
        output: [{ content: { text: 'Your parcel is on its way.' } }],
      }),
    },
    {
      title: 'a user is handed over to a human',
      command: curl(handoff, '/conversation/establish', {
        conversation_id,
        timestamp: 1_742_265_091_000,
        body: [{ text: 'I want to talk to a human.', message_type: 'QUESTION' }],
        user_info: { user_id: 'user-1' },
      }),
    },
    {
      title: 'the user says something',
      command: curl(handoff, '/chat', { conversation_id, body: 'Where is my parcel?' }),
    },
    {
      title: 'the user leaves',
      command: curl(handoff, '/conversation/close', {
        conversation_id,
        timestamp: 1_742_265_093_000,
        type: 'USER_CLOSED',
      }),
    },
    { title: 'an availability test', command: curl(message, '', { istest: true }) },
  ];
}

/** Where a command goes and with which credentials, each in a shell's quotes. */
interface Target {
  readonly url: (path: string) => string;
  readonly credentials: string;
}

const curl = ({ url, credentials }: Target, path: string, body: object): string =>
  ['curl', url(path), ...(credentials ? [credentials] : [])]
    .concat("-H 'content-type: application/json'", '-d', quoted(JSON.stringify(body)))
    .join(' ');

/** Words that mean the same to every shell stay as they are. */
const quoted = (text: string): string =>
  /^[\w.:/@-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A credential that was made up is shown; one's own is left to the shell, so that it is never printed. */
function messageTarget({ url, settings, generated }: TryOptions): Target {
  const { mountPath, webhookUsername, webhookSecret } = settings;
  const shown = (key: SettingKey, value: string, variable: string): string =>
    generated.includes(key) ? quoted(value) : `"$${variable}"`;
  const username = shown('webhookUsername', webhookUsername, 'WEBHOOK_USERNAME');
  const credentials =
    webhookSecret === undefined
      ? `-H 'authorization: Bearer '${username}`
      : `-u ${username}:${shown('webhookSecret', webhookSecret, 'WEBHOOK_SECRET')}`;
  return { url: (path) => quoted(`${url}${mountPath}${path}`), credentials };
}

function handoffTarget({ url, settings, generated }: TryOptions, message: Target): Target {
  const { handoffAuth, mountPath } = settings;
  const base = `${url}${mountPath === '/' ? '' : mountPath}`;
  const plainUrl = (path: string): string => quoted(`${base}${path}`);
  if (!('token' in handoffAuth)) {
    return { url: plainUrl, credentials: handoffAuth.kind === 'webhook' ? message.credentials : '' };
  }
  if (handoffAuth.kind === 'bearer') {
    return { url: plainUrl, credentials: `-H 'authorization: Bearer '"\${HANDOFF_AUTH#bearer:}"` };
  }
  if (generated.includes('handoffAuth')) {
    return { url: (path) => quoted(`${base}/${handoffAuth.token}${path}`), credentials: '' };
  }
  return {
    url: (path) => `${quoted(`${base}/`)}"\${HANDOFF_AUTH#path:}"${quoted(path)}`,
    credentials: '',
  };
}
