import { configError } from '../../internal/index.js';

/** Settings of {@link slack}. */
export interface SlackSettings {
  /** The "Bot User OAuth Token" of the app; begins with `xoxb-`. */
  readonly botToken: string;
  /** The "Signing Secret" of the app. Of several, any passes: that is how it is changed without a gap. */
  readonly signingSecret: string | readonly string[];
  /** The id of the channel that conversations go to, such as `C0123456789`; not its name. */
  readonly channel: string;
  /** A reply that ends with one of these words ends the conversation. Default `!close`. */
  readonly closeWords?: readonly string[];
  /** A reply that begins with this stays among agents. Default `//`. */
  readonly insidePrefix?: string;
  /** What users may be told about who answers: names by Slack's user ids, such as `{ U0123456789: 'Ann' }`. */
  readonly names?: Readonly<Record<string, string>>;
  /** The address of the workspace, such as `https://example.slack.com`: with it, conversations have a link. */
  readonly teamUrl?: string;
  /** Where the Web API is. Default `https://slack.com/api`. */
  readonly apiUrl?: string;
  /** How long an answer of Slack may take. Default 10 seconds. */
  readonly timeoutMs?: number;
}

/** The settings with their defaults, checked. */
export interface Slack {
  readonly botToken: string;
  readonly signingSecrets: readonly string[];
  readonly channel: string;
  /** In lower case. */
  readonly closeWords: readonly string[];
  readonly insidePrefix: string;
  readonly names: ReadonlyMap<string, string>;
  readonly teamUrl: string | null;
  readonly apiUrl: string;
  readonly timeoutMs: number | undefined;
}

const BOT_TOKEN = /^(xoxe\.)?xoxb-[\w-]+$/;
const CHANNEL_ID = /^[CG][A-Z0-9]{2,}$/;

/** Fills in the defaults, and refuses what cannot work. Never shows a secret. */
export function checkSettings(settings: SlackSettings): Slack {
  const { botToken, signingSecret, channel, names = {}, teamUrl, timeoutMs } = settings;
  const { closeWords = ['!close'], insidePrefix = '//', apiUrl = 'https://slack.com/api' } = settings;
  const signingSecrets = typeof signingSecret === 'string' ? [signingSecret] : signingSecret;
  if (!BOT_TOKEN.test(botToken)) {
    throw configError('slack: botToken must be the "Bot User OAuth Token" of the app; it begins with xoxb-.');
  }
  if (signingSecrets.length === 0 || signingSecrets.some((secret) => secret.trim() === '')) {
    throw configError(
      'slack: signingSecret is missing; it is on the page "Basic Information" of the app. Without it anybody could answer in the name of agents.',
    );
  }
  if (!CHANNEL_ID.test(channel)) {
    throw configError(
      "slack: channel must be the id of a channel, such as C0123456789; Slack shows it at the end of the channel's details.",
    );
  }
  if (closeWords.some((word) => !/^\S+$/.test(word))) {
    throw configError('slack: each of closeWords must be one word without spaces.');
  }
  if (insidePrefix.trim() === '') {
    throw configError('slack: insidePrefix must not be empty, else every reply would stay among agents.');
  }
  return {
    botToken,
    signingSecrets,
    channel,
    closeWords: closeWords.map((word) => word.toLowerCase()),
    insidePrefix: insidePrefix.trim(),
    names: new Map(Object.entries(names)),
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
