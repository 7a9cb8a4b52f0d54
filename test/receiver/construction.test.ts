import { describe, expect, it } from 'vitest';
import {
  basic,
  bearer,
  createReceiver,
  HandoffKitError,
  inline,
  noAuth,
  pathToken,
  webhookUser,
} from '../../src/public/index.js';
import { SECRET, USERNAME } from '../helpers/credentials.js';

const errorOf = (make: () => unknown): HandoffKitError => {
  try {
    make();
  } catch (error) {
    if (error instanceof HandoffKitError) return error;
    throw error;
  }
  throw new Error('expected an error, and nothing was thrown');
};

/** Untyped, as called from JavaScript. */
const create = (options: unknown): unknown => Reflect.apply(createReceiver, undefined, [options]);

describe('a missing auth choice', () => {
  it.each([
    ['auth.message', { auth: { handoff: noAuth() } }],
    ['auth.handoff', { auth: { message: noAuth() } }],
    ['auth.message', undefined],
    ['auth.message', null],
    ['auth.message', {}],
    ['auth.message', { auth: { message: undefined, handoff: noAuth() } }],
    ['auth.message', { auth: { message: null, handoff: noAuth() } }],
    ['auth.message', { auth: { message: [], handoff: noAuth() } }],
    ['auth.message', { auth: { message: [noAuth(), undefined], handoff: noAuth() } }],
    ['auth.handoff', { auth: { message: noAuth(), handoff: 'none' } }],
    ['auth.handoff', { auth: { message: noAuth(), handoff: true } }],
  ])('of %s is an error that lists the choices', (name, options) => {
    const error = errorOf(() => create(options));
    expect(error.code).toBe('AUTH_CHOICE_MISSING');
    expect(error.message).toContain(`set ${name}`);
    for (const choice of ['webhookUser(', 'bearer(', 'basic(', 'pathToken(', 'noAuth()', 'false']) {
      expect(error.message).toContain(choice);
    }
  });

  it('can be false, which does not mount the group', () => {
    expect(() => create({ auth: { message: false, handoff: noAuth() } })).not.toThrow();
    expect(() => create({ auth: { message: noAuth(), handoff: false } })).not.toThrow();
  });
});

describe('an invalid secret', () => {
  it.each<[string, () => unknown, string]>([
    ['an empty username', () => webhookUser({ username: '' }), 'the webhook username is missing or empty'],
    [
      'an empty username and an empty secret',
      () => webhookUser({ username: '', secret: '' }),
      'the webhook username is missing or empty',
    ],
    [
      'a secret of white space',
      () => webhookUser({ username: USERNAME, secret: ' ' }),
      'begins or ends with white space',
    ],
    ['an empty bearer token', () => bearer(''), 'the bearer token is missing or empty'],
    ['no bearer token', () => Reflect.apply(bearer, undefined, []), 'the bearer token is missing or empty'],
    [
      'an empty password',
      () => basic({ username: USERNAME, password: '' }),
      'the password is missing or empty',
    ],
    ['an empty path token', () => pathToken(''), 'the path token is missing or empty'],
    [
      'a line break',
      () => webhookUser({ username: USERNAME, secret: `${SECRET}\n` }),
      'begins or ends with white space',
    ],
    ['a leading space', () => bearer(` ${SECRET}`), 'begins or ends with white space'],
    ['a colon in the username', () => webhookUser({ username: 'a:b', secret: SECRET }), 'has a colon'],
    ['a NUL in the username', () => webhookUser({ username: 'a\0b' }), 'has a control character'],
    [
      'a line break in the secret',
      () => webhookUser({ username: USERNAME, secret: `a\n${SECRET}` }),
      'has a control character',
    ],
    ['a short path token', () => pathToken('0123456789abcde'), 'at least 16 characters'],
    ['a path token with a slash', () => pathToken('0123456789/abcdef'), 'letters, digits'],
    ['a path token that needs encoding', () => pathToken('0123456789 abcdef'), 'letters, digits'],
  ])('is refused: %s', (_what, make, complaint) => {
    const error = errorOf(make);
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain(complaint);
    expect(error.message).not.toContain(SECRET);
    expect(error.message).not.toContain('0123456789');
  });

  it('may be a username with a colon if it is sent as Bearer', () => {
    expect(() => webhookUser({ username: 'a:b' })).not.toThrow();
  });
});

describe('other mistakes', () => {
  it.each([
    ['greetings', 'Did you mean greeting?'],
    ['base_path', 'Did you mean basePath?'],
    ['colour', 'It knows auth,'],
  ])('names an unknown option, and what was meant: %s', (option, hint) => {
    const error = errorOf(() => create({ auth: { message: noAuth(), handoff: noAuth() }, [option]: 'Hi' }));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain(option);
    expect(error.message).toContain(hint);
  });

  it('refuses a greeting that could not be sent', () => {
    const error = errorOf(() => create({ auth: { message: noAuth(), handoff: noAuth() }, greeting: 'Hi' }));
    expect(error.message).toBe('greeting needs platform: without it nothing can be sent to users.');
  });

  it('names an unknown option within another', () => {
    const error = errorOf(() =>
      create({ auth: { message: noAuth(), handoff: noAuth() }, limits: { bodybytes: 1 } }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain(
      'limits of createReceiver does not know the option bodybytes. Did you mean bodyBytes?',
    );
  });

  it('names the choices of unhandled', () => {
    const error = errorOf(() =>
      create({ auth: { message: noAuth(), handoff: noAuth() }, unhandled: 'ignore' }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain("unhandled must be 'refuse' or 'accept'");
  });

  it.each([
    ['basePath', { basePath: 'webhook' }],
    ['basePath', { basePath: '/a?b' }],
    ['paths.message', { paths: { message: 'chat' } }],
    ['paths.handoff', { paths: { handoff: '/c#d' } }],
  ])('names %s if it is not a path', (name, options) => {
    const error = errorOf(() => create({ auth: { message: noAuth(), handoff: noAuth() }, ...options }));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain(name);
  });

  it.each([
    ['limits.bodyBytes', { limits: { bodyBytes: 0 } }],
    ['limits.depth', { limits: { depth: 1.5 } }],
    ['limits.readTimeoutMs', { limits: { readTimeoutMs: Number.POSITIVE_INFINITY } }],
    ['waitTimeoutMs', { waitTimeoutMs: -1 }],
  ])('names %s if it is not a valid number', (name, options) => {
    const error = errorOf(() => create({ auth: { message: noAuth(), handoff: noAuth() }, ...options }));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain(name);
  });

  it.each(['ackDeadlineMs', 'handlerTimeoutMs', 'rememberMs', 'maxPending', 'maxRemembered'])(
    'names %s of inline delivery if it is not a valid number',
    (name) => {
      const error = errorOf(() => inline({ [name]: Number.POSITIVE_INFINITY }));
      expect(error.code).toBe('CONFIG_INVALID');
      expect(error.message).toContain(name);
    },
  );

  it('names two endpoints with the same path', () => {
    const error = errorOf(() =>
      create({
        auth: { message: noAuth(), handoff: noAuth() },
        paths: { message: '/talk/chat', handoff: '/talk/' },
      }),
    );
    expect(error.message).toContain('paths.message is /talk/chat, the path of chat');
  });

  it('names a wrong setting of the platform option, and never the key', () => {
    const error = errorOf(() =>
      create({
        auth: { message: noAuth(), handoff: noAuth() },
        platform: { baseUrl: 'nowhere', apiKey: SECRET },
      }),
    );
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toContain('baseUrl');
    expect(error.message).not.toContain(SECRET);
  });
});
