import type { ImapFlow, MailboxObject } from 'imapflow';
import { type AdapterCall, AdapterError } from '../../bridge/index.js';
import type { LoginTokens } from './oauth.js';
import type { CheckedSettings } from './settings.js';

/** A connection with the folder open. The folder is opened for reading only: no mail is marked, moved or deleted. */
export interface OpenMailbox {
  readonly client: ImapFlow;
  readonly mailbox: MailboxObject;
}

/** The mailbox that replies arrive in. */
export interface Mailbox {
  /**
   * Runs a task on the connection that stays open and listens for new mails (IDLE). Resolves to `null` without asking
   * the server when it has announced nothing since the last task that was `done`, unless `isForced`.
   */
  whenChanged<Result>(
    task: MailboxTask<{ readonly result: Result; readonly done: boolean }>,
    call: AdapterCall,
    isForced: boolean,
  ): Promise<Result | null>;
  /** Runs a task on a connection of its own. */
  once<Result>(task: MailboxTask<Result>, call: AdapterCall): Promise<Result>;
  /** Closes the connection. */
  close(): void;
}

type MailboxTask<Result> = (open: OpenMailbox) => Promise<Result>;

/** Looks at the mailbox at least that often, in case an announcement was lost. */
const LOOK_EVERY_MS = 30_000;

export function createMailbox(settings: CheckedSettings, tokens: LoginTokens | null): Mailbox {
  const { imap, mailbox: folder, timeoutMs, ca } = settings;
  const { user, pass } = imap.login;
  const login = pass === null && tokens ? tokens : null;
  let current: (OpenMailbox & { changed: boolean; lookedAt: number }) | null = null;
  let isClosed = false;

  const logIn = async (call: AdapterCall): Promise<OpenMailbox> => {
    const { ImapFlow } = await import('imapflow');
    const client = new ImapFlow({
      host: imap.host,
      port: imap.port,
      secure: imap.tls === 'implicit',
      doSTARTTLS: imap.tls === 'starttls',
      auth: login ? { user, accessToken: await login.current(call) } : { user, pass: pass ?? '' },
      ...(ca !== null && { tls: { ca } }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      // Its log has the words of mails.
      logger: false,
      disableAutoIdle: true,
      // Providers end a quiet IDLE after 10 to 30 minutes.
      maxIdleTime: 240_000,
    });
    // Failures reach the running command; without a listener they would end the process.
    client.on('error', () => {});
    try {
      await client.connect();
      return { client, mailbox: await client.mailboxOpen(folder, { readOnly: true }) };
    } catch (error) {
      client.close();
      throw error;
    }
  };
  const connect = async (call: AdapterCall): Promise<OpenMailbox> => {
    try {
      return await logIn(call).catch((error: unknown) => {
        if (!login || !isLoginRefused(error)) throw error;
        // It can have been revoked before its time.
        login.refused();
        return logIn(call);
      });
    } catch (error) {
      throw readingError(error, settings);
    }
  };

  /** Ends the connection when the call is aborted, or takes too long. */
  const guarded = async <Result>(
    { client }: OpenMailbox,
    { signal }: AdapterCall,
    task: () => Promise<Result>,
  ): Promise<Result> => {
    const end = (): void => client.close();
    signal.addEventListener('abort', end, { once: true });
    // Much is read at once, so it gets more time than a single answer.
    const timer = setTimeout(end, timeoutMs * 2);
    try {
      return await task();
    } catch (error) {
      client.close();
      throw readingError(error, settings);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  };

  const listening = async (call: AdapterCall): Promise<NonNullable<typeof current>> => {
    if (current?.client.usable) return current;
    current?.client.close();
    const open = { ...(await connect(call)), changed: true, lookedAt: performance.now() };
    if (isClosed) {
      open.client.close();
      throw new AdapterError('transient', 'The adapter is closed.');
    }
    open.client.on('exists', () => {
      open.changed = true;
    });
    current = open;
    return open;
  };

  return {
    async whenChanged(task, call, isForced) {
      const open = await listening(call);
      if (!isForced && !open.changed && performance.now() - open.lookedAt < LOOK_EVERY_MS) return null;
      // Before the task: an announcement during it must not be lost.
      open.changed = false;
      open.lookedAt = performance.now();
      const { result, done } = await guarded(open, call, () => task(open)).catch((error: unknown) => {
        open.changed = true;
        throw error;
      });
      if (!done) open.changed = true;
      // Ends with the next command.
      open.client.idle().catch(() => undefined);
      return result;
    },
    async once(task, call) {
      const open = await connect(call);
      try {
        return await guarded(open, call, () => task(open));
      } finally {
        await open.client.logout().catch(() => open.client.close());
      }
    },
    close() {
      isClosed = true;
      current?.client.close();
      current = null;
    },
  };
}

/** What imapflow adds to its errors. The text of the server is left out. */
interface Failure {
  readonly code?: string;
  readonly authenticationFailed?: boolean;
  readonly mailboxMissing?: boolean;
  readonly tlsFailed?: boolean;
  readonly serverResponseCode?: string;
  readonly throttleReset?: number;
}

const isLoginRefused = (error: unknown): boolean => {
  const { authenticationFailed, serverResponseCode } = error as Failure;
  return authenticationFailed === true && serverResponseCode !== 'UNAVAILABLE';
};

function readingError(error: unknown, { imap, mailbox: folder }: CheckedSettings): AdapterError {
  if (error instanceof AdapterError) return error;
  const failure = error as Failure;
  if (isLoginRefused(error)) {
    return new AdapterError(
      'auth',
      imap.login.pass === null
        ? 'The IMAP server refused the access token. Check the user of imapUrl, the scope of oauth, and that the app may use this mailbox.'
        : 'The IMAP server refused the login. Check user and password of imapUrl.',
    );
  }
  if (failure.mailboxMissing) {
    return new AdapterError('auth', `There is no folder "${folder}" for this login. Check mailbox.`);
  }
  if (failure.code === 'ETHROTTLE') {
    const retryAfterMs = failure.throttleReset ?? null;
    return new AdapterError('rate-limited', 'The IMAP server asks to wait.', { retryAfterMs });
  }
  if (failure.tlsFailed || /CERT|TLS|SSL/.test(failure.code ?? '')) {
    return new AdapterError(
      'transient',
      'The IMAP server offers no TLS that can be trusted. Check host, port and certificate: imaps:// has TLS from the start, imap:// needs STARTTLS.',
    );
  }
  return new AdapterError(
    'transient',
    `The IMAP server did not answer (${failure.code ?? 'no reason given'}).`,
  );
}
