import { createPublicKey, type KeyObject } from 'node:crypto';
import { type AdapterHttpOptions, checkIds, checkWords } from '../../bridge/index.js';
import { checkOptionNames, configError } from '../../internal/index.js';

export interface ZohoSalesIqSettings {
  /** The screen name of the portal, from the address in the browser: `https://salesiq.zoho.com/<screen name>`. */
  readonly screenName: string;
  /** The id of the brand. */
  readonly appId: string;
  /** The id of the department whose operators answer. */
  readonly departmentId: string;
  /** The Client ID of an org client, from Zoho's API console. */
  readonly clientId: string;
  /** The Client Secret of the same client. */
  readonly clientSecret: string;
  /** A refresh token of the same client. */
  readonly refreshToken: string;
  /** The public key of the webhook, as Zoho shows it. Several during a rotation. */
  readonly publicKey: string | readonly string[];
  /** The address of SalesIQ in your data center. Default `https://salesiq.zoho.com`. */
  readonly apiUrl?: string;
  /** The address of Zoho Accounts in your data center. Default `https://accounts.zoho.com`. */
  readonly accountsUrl?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: NonNullable<AdapterHttpOptions['fetch']>;
}

const NAMES: readonly (keyof ZohoSalesIqSettings)[] = [
  'screenName',
  'appId',
  'departmentId',
  'clientId',
  'clientSecret',
  'refreshToken',
  'publicKey',
  'apiUrl',
  'accountsUrl',
  'fetch',
];

/** Validates the settings and fills in the defaults. Error messages never contain a value. */
export function checkSettings(settings: ZohoSalesIqSettings) {
  checkOptionNames('zohoSalesIq', settings, NAMES);
  const {
    publicKey,
    apiUrl = 'https://salesiq.zoho.com',
    accountsUrl = 'https://accounts.zoho.com',
    fetch = globalThis.fetch,
    ...texts
  } = settings;
  const { screenName, appId, departmentId, clientId, clientSecret, refreshToken } = texts;
  checkIds('Zoho SalesIQ', { screenName, appId, departmentId });
  checkWords('Zoho SalesIQ', { clientId, clientSecret, refreshToken });
  const publicKeys = [publicKey].flat().map(toPublicKey);
  return { ...texts, publicKeys, apiUrl, accountsUrl, fetch };
}

/** {@link ZohoSalesIqSettings}, validated and with defaults. */
export type CheckedSettings = Readonly<ReturnType<typeof checkSettings>>;

/** Zoho shows the key in Base64, without the lines of a PEM file. */
function toPublicKey(text: string): KeyObject {
  const key = readKey(text);
  if (key?.asymmetricKeyType === 'rsa') return key;
  throw configError('Zoho SalesIQ: publicKey must be the public key of the webhook, in Base64 or as PEM.');
}

function readKey(text: string): KeyObject | null {
  try {
    if (text.includes('BEGIN')) return createPublicKey(text);
    return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}
