import { hash, randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { AgentView } from '../../api.js';
import { createAudit } from '../audit.js';
import { DeskError } from '../errors.js';
import type { DocumentStore } from '../store/index.js';
import { DUMMY_HASH, hashPassword, passwordProblem, seal, unseal, verifyPassword } from './password.js';
import {
  agentViewOf,
  createAgentDocuments,
  invalidAgent,
  type StoredAgent,
  type StoredTotp,
} from './stored-agent.js';

/** The result of a login: `code needed` and `wrong code` only with the right password. */
export type Authentication =
  | { readonly outcome: 'ok'; readonly agent: AgentView; readonly by: 'password' | 'code' | 'recovery code' }
  | { readonly outcome: 'wrong' | 'code needed' | 'wrong code' };

/** The password and the second factor of an agent. */
export interface Account {
  /** Checks a password and a code. Takes the same time for unknown agents. A code works once. */
  authenticate(id: string, password: string, code?: string): Promise<Authentication>;
  /** Whether the agent has a password here, and a second factor. */
  factors(id: string): Promise<{ readonly hasPassword: boolean; readonly hasTotp: boolean }>;
  /** Changes the password, which ends all sessions. Rejects with `WRONG_PASSWORD`, or with the problem of the new one. */
  changePassword(id: string, current: string, next: string): Promise<void>;
  /** Sets up the second factor with a first code; resolves to the recovery codes. */
  enableTotp(id: string, password: string, secret: string, code: string): Promise<readonly string[]>;
  disableTotp(id: string, password: string): Promise<void>;
}

/** A code of the step before or after is accepted too, since clocks differ. */
const TOLERANCE = 1;
const RECOVERY_CODES = 10;

export function createAccount(store: DocumentStore, now: () => number = Date.now): Account {
  const audit = createAudit(store);
  const { find, change } = createAgentDocuments(store);

  /** The agent and the key of their password. */
  const requirePassword = async (id: string, password: string) => {
    const found = await find(id);
    const key = await verifyPassword(password, found?.agent.password || DUMMY_HASH);
    if (!found || !key) throw new DeskError('WRONG_PASSWORD');
    return { agent: found.agent, key };
  };

  /** Changes an agent, unless they got another password since it was checked. */
  const changeChecked = (
    { id, passwordVersion }: StoredAgent,
    action: string,
    edit: (agent: StoredAgent) => StoredAgent,
  ) =>
    change(id, (agent) => {
      if (!agent || agent.passwordVersion !== passwordVersion) throw new DeskError('WRONG_PASSWORD');
      return { agent: edit(agent), append: [audit.line(id, action)] };
    });

  /** Marks a code as used in one compare-and-set, so that of two logins with the same code one fails. */
  const spendCode = async (
    id: string,
    key: Buffer,
    code: string,
  ): Promise<'code' | 'recovery code' | null> => {
    let spent: 'code' | 'recovery code' | null = null;
    await change(id, (agent) => {
      const rest = agent?.totp ? spend(agent.totp, key, code, now()) : null;
      spent = rest?.by ?? null;
      return agent && rest ? { agent: { ...agent, totp: rest.totp } } : null;
    });
    return spent;
  };

  return {
    async authenticate(id, password, code = '') {
      const found = await find(id);
      const key = await verifyPassword(password, found?.agent.password || DUMMY_HASH);
      if (!found || !key) return { outcome: 'wrong' };
      const agent = agentViewOf(found.agent);
      if (!found.agent.totp) return { outcome: 'ok', agent, by: 'password' };
      if (code === '') return { outcome: 'code needed' };
      const by = await spendCode(id, key, code.trim());
      return by ? { outcome: 'ok', agent, by } : { outcome: 'wrong code' };
    },
    async factors(id) {
      const found = await find(id);
      return { hasPassword: Boolean(found?.agent.password), hasTotp: found?.agent.totp !== undefined };
    },
    async changePassword(id, current, next) {
      const { agent, key } = await requirePassword(id, current);
      const problem = await passwordProblem(next, id);
      if (problem) throw invalidAgent(problem);
      const { hashed, sealingKey } = await hashPassword(next);
      await changeChecked(agent, 'password changed', ({ totp, ...stored }) => ({
        ...stored,
        password: hashed,
        passwordVersion: randomUUID(),
        ...(totp && { totp: { ...totp, sealedSecret: seal(unseal(totp.sealedSecret, key), sealingKey) } }),
      }));
    },
    async enableTotp(id, password, secret, code) {
      const { agent, key } = await requirePassword(id, password);
      const step = isTotpSecret(secret) ? totpStepOf(secret, code.trim(), 0, now()) : null;
      if (step === null) throw new DeskError('WRONG_CODE');
      const codes = createRecoveryCodes();
      const totp = { sealedSecret: seal(secret, key), lastStep: step, recovery: codes.map(recoveryDigest) };
      await changeChecked(agent, 'second factor set up', (stored) => ({ ...stored, totp }));
      return codes;
    },
    async disableTotp(id, password) {
      const { agent } = await requirePassword(id, password);
      await changeChecked(agent, 'second factor removed', ({ totp: _totp, ...stored }) => stored);
    },
  };
}

/** The second factor after a code was used; `null` for a wrong one. */
function spend(
  totp: StoredTotp,
  key: Buffer,
  code: string,
  now: number,
): { readonly by: 'code' | 'recovery code'; readonly totp: StoredTotp } | null {
  const step = totpStepOf(unseal(totp.sealedSecret, key), code, totp.lastStep, now);
  if (step !== null) return { by: 'code', totp: { ...totp, lastStep: step } };
  const digest = recoveryDigest(code);
  const recovery = totp.recovery.filter((each) => each !== digest);
  return recovery.length < totp.recovery.length ? { by: 'recovery code', totp: { ...totp, recovery } } : null;
}

/** A new secret in Base32, of the 160 bits that RFC 4226 recommends. */
export const createTotpSecret = (): string => new Secret({ size: 20 }).base32;

/** The URI that authenticator apps read from a QR code. */
export const totpUri = (secret: string, label: string, issuer: string): string =>
  new TOTP({ secret, label, issuer }).toString();

/** Whether a text is a secret as {@link createTotpSecret} makes it. */
const isTotpSecret = (text: string): boolean => /^[A-Z2-7]{32}$/.test(text);

/** The step that a code belongs to; `null` for a wrong code, or a step up to `lastStep`, whose codes were used before. */
export function totpStepOf(
  secret: string,
  token: string,
  lastStep: number,
  timestamp = Date.now(),
): number | null {
  const totp = new TOTP({ secret });
  const delta = totp.validate({ token, timestamp, window: TOLERANCE });
  const step = totp.counter({ timestamp }) + (delta ?? 0);
  return delta !== null && step > lastStep ? step : null;
}

/** New recovery codes, each of 120 random bits. */
const createRecoveryCodes = (): readonly string[] =>
  Array.from({ length: RECOVERY_CODES }, () =>
    new Secret({ size: 15 }).base32.toLowerCase().replace(/(.{4})(?=.)/g, '$1-'),
  );

/** The digest that a recovery code is stored as. A code is random enough that a plain digest hides it. */
const recoveryDigest = (code: string): string =>
  hash('sha256', code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''), 'base64url');
