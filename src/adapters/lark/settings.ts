import { checkIds, checkSecrets, checkWords } from '../../bridge/index.js';
import { checkOptionNames, configError } from '../../internal/index.js';

export interface LarkSettings {
  /** The "App ID" of the app; begins with `cli_`. */
  readonly appId: string;
  /** The "App Secret" of the app. */
  readonly appSecret: string;
  /** The "Encrypt Key" of the app, which signs and encrypts events. Several during a rotation: any of them may match. */
  readonly encryptKey: string | readonly string[];
  /** The "Verification Token" of the app. Several during a rotation. */
  readonly verificationToken: string | readonly string[];
  /** The id of the group chat for conversations; begins with `oc_`. */
  readonly chat: string;
  /** The address of the API. Default `https://open.feishu.cn`; that of Lark is `https://open.larksuite.com`. */
  readonly domain?: string;
  /** The open id of the app's bot, which begins with `ou_`. Mentions of the bot are removed from replies then. */
  readonly botOpenId?: string;
  /**
   * Other names than Lark's own for users to see, by open id, such as `{ ou_7d8a6e6df7621556ce0d21922b676706: 'Ann' }`.
   * The names of others are asked for, if the app may read them.
   */
  readonly names?: Readonly<Record<string, string>>;
  /** A reply whose last word is one of these closes the conversation. Default `!close`. */
  readonly closeWords?: readonly string[];
  /** A reply with this prefix is an internal note: the user does not see it. Default `//`. */
  readonly insidePrefix?: string;
  /** Time limit of a request to Lark. Default 10 seconds. */
  readonly timeoutMs?: number;
}

const NAMES: readonly (keyof LarkSettings)[] = [
  'appId',
  'appSecret',
  'encryptKey',
  'verificationToken',
  'chat',
  'domain',
  'botOpenId',
  'names',
  'closeWords',
  'insidePrefix',
  'timeoutMs',
];

/** Validates the settings and fills in the defaults. Error messages never contain a secret. */
export function checkSettings(settings: LarkSettings) {
  checkOptionNames('lark', settings, NAMES);
  const {
    appId,
    appSecret,
    encryptKey,
    verificationToken,
    chat,
    domain = 'https://open.feishu.cn',
    botOpenId,
    names = {},
    closeWords = ['!close'],
    insidePrefix = '//',
    timeoutMs,
  } = settings;
  checkIds('Lark', { appId, ...(botOpenId !== undefined && { botOpenId }) });
  checkWords('Lark', { appSecret });
  const encryptKeys = checkSecrets(
    encryptKey,
    'Lark: encryptKey is missing; set one on the page "Events & Callbacks", tab "Encryption Strategy". Without it any sender could reply in the name of agents.',
  );
  const verificationTokens = checkSecrets(
    verificationToken,
    'Lark: verificationToken is missing; it is on the page "Events & Callbacks", tab "Encryption Strategy".',
  );
  if (!/^oc_\w+$/.test(chat)) {
    throw configError(
      'Lark: chat must be the id of a group chat, which begins with oc_; Lark shows it at the end of the group settings.',
    );
  }
  if (closeWords.some((word) => !/^\S+$/.test(word))) {
    throw configError('Lark: each of closeWords must be one word without spaces.');
  }
  if (insidePrefix.trim() === '') {
    throw configError('Lark: insidePrefix must not be empty, or every reply would be an internal note.');
  }
  return {
    appId,
    appSecret,
    encryptKeys,
    verificationTokens,
    chat,
    domain,
    botOpenId: botOpenId ?? null,
    names: new Map(Object.entries(names)) as ReadonlyMap<string, string>,
    closeWords,
    insidePrefix: insidePrefix.trim(),
    timeoutMs,
  };
}

/** {@link LarkSettings}, validated and with defaults. */
export type CheckedSettings = Readonly<ReturnType<typeof checkSettings>>;
