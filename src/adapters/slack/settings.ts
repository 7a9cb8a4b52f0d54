import { checkSecrets } from '../../bridge/index.js';
import { checkOptionNames, configError } from '../../internal/index.js';

export interface SlackSettings {
  /** The "Bot User OAuth Token" of the app; begins with `xoxb-`. */
  readonly botToken: string;
  /** The "Signing Secret" of the app. Several during a rotation: any of them may match. */
  readonly signingSecret: string | readonly string[];
  /** The id of the channel for conversations, such as `C0123456789`; not its name. */
  readonly channel: string;
  /** A reply whose last word is one of these closes the conversation. Default `!close`. */
  readonly closeWords?: readonly string[];
  /** A reply with this prefix is an internal note: the user does not see it. Default `//`. */
  readonly insidePrefix?: string;
  /** The address of the workspace, such as `https://example.slack.com`. Used for links to conversations. */
  readonly teamUrl?: string;
  /** The base URL of the Web API. Default `https://slack.com/api`. */
  readonly apiUrl?: string;
  /** Time limit of a request to Slack. Default 10 seconds. */
  readonly timeoutMs?: number;
}

/** {@link SlackSettings}, validated and with defaults. */
export interface CheckedSettings {
  readonly botToken: string;
  readonly signingSecrets: readonly string[];
  readonly channel: string;
  /** In lower case. */
  readonly closeWords: readonly string[];
  readonly insidePrefix: string;
  readonly teamUrl: string | null;
  readonly apiUrl: string;
  readonly timeoutMs: number | undefined;
}

const BOT_TOKEN = /^(xoxe\.)?xoxb-[\w-]+$/;
const CHANNEL_ID = /^[CG][A-Z0-9]{2,}$/;

const NAMES: readonly (keyof SlackSettings)[] = [
  'botToken',
  'signingSecret',
  'channel',
  'closeWords',
  'insidePrefix',
  'teamUrl',
  'apiUrl',
  'timeoutMs',
];

/** Validates the settings and fills in the defaults. Error messages never contain a secret. */
export function checkSettings(settings: SlackSettings): CheckedSettings {
  checkOptionNames('slack', settings, NAMES);
  const { botToken, signingSecret, channel, teamUrl, timeoutMs } = settings;
  const { closeWords = ['!close'], insidePrefix = '//', apiUrl = 'https://slack.com/api' } = settings;
  if (!BOT_TOKEN.test(botToken)) {
    throw configError('slack: botToken must be the "Bot User OAuth Token" of the app; it begins with xoxb-.');
  }
  const signingSecrets = checkSecrets(
    signingSecret,
    'slack: signingSecret is missing; it is on the page "Basic Information" of the app. Without it any sender could reply in the name of agents.',
  );
  if (!CHANNEL_ID.test(channel)) {
    throw configError(
      "slack: channel must be the id of a channel, such as C0123456789; Slack shows it at the end of the channel's details.",
    );
  }
  if (closeWords.some((word) => !/^\S+$/.test(word))) {
    throw configError('slack: each of closeWords must be one word without spaces.');
  }
  if (insidePrefix.trim() === '') {
    throw configError('slack: insidePrefix must not be empty, or every reply would be an internal note.');
  }
  return {
    botToken,
    signingSecrets,
    channel,
    closeWords: closeWords.map((word) => word.toLowerCase()),
    insidePrefix: insidePrefix.trim(),
    teamUrl: teamUrl === undefined ? null : checkedTeamUrl(teamUrl),
    apiUrl,
    timeoutMs,
  };
}

function checkedTeamUrl(teamUrl: string): string {
  if (URL.canParse(teamUrl) && /^https?:$/.test(new URL(teamUrl).protocol))
    return teamUrl.replace(/\/+$/, '');
  throw configError(
    'slack: teamUrl must be the address of the workspace, such as https://example.slack.com.',
  );
}
