import { type AdapterHttpOptions, checkSecrets, checkWords } from '../../bridge/index.js';
import { checkOptionNames } from '../../internal/index.js';

export interface IntercomSettings {
  /** The Access Token of the app, from the Developer Hub, Configure, Authentication. */
  readonly accessToken: string;
  /** The Client Secret of the app, from the Developer Hub, Basic information. Several during a rotation. */
  readonly clientSecret: string | readonly string[];
  /**
   * The URL of the REST API: `https://api.eu.intercom.io` or `https://api.au.intercom.io` for workspaces hosted there.
   * Default `https://api.intercom.io`.
   */
  readonly apiUrl?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: NonNullable<AdapterHttpOptions['fetch']>;
}

const NAMES: readonly (keyof IntercomSettings)[] = ['accessToken', 'clientSecret', 'apiUrl', 'fetch'];

/** Validates the settings and fills in the defaults. Error messages never contain a value. */
export function checkSettings(settings: IntercomSettings) {
  checkOptionNames('intercom', settings, NAMES);
  const { accessToken, clientSecret, apiUrl = 'https://api.intercom.io' } = settings;
  const { fetch = globalThis.fetch } = settings;
  const token = accessToken.trim();
  checkWords('Intercom', { accessToken: token });
  const clientSecrets = checkSecrets(
    clientSecret,
    'Intercom: clientSecret is empty; copy it from the Basic information of the app.',
  );
  return { accessToken: token, clientSecrets, apiUrl, fetch };
}

/** {@link IntercomSettings}, validated and with defaults. */
export type CheckedSettings = Readonly<ReturnType<typeof checkSettings>>;
