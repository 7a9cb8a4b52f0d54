import { describe, expect, it } from 'vitest';
import { createUrlRedaction } from '../../src/standalone/http-log.js';
import { PATH_TOKEN } from '../helpers/credentials.js';

const encoded = Array.from(PATH_TOKEN, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');

describe('a URL in the log', () => {
  const redact = createUrlRedaction('/a-mount-path-longer-than-tokens/webhook');

  it.each([
    [`/webhook/${PATH_TOKEN}/chat`, '/webhook/[redacted]/chat'],
    [`/webhook/${PATH_TOKEN}`, '/webhook/[redacted]'],
    [`/webhook/${encoded}/chat`, '/webhook/[redacted]/chat'],
    [`/webhook/x${PATH_TOKEN}x/chat`, '/webhook/[redacted]/chat'],
    [`//${PATH_TOKEN}//chat`, '//[redacted]//chat'],
    [`/chat?token=${PATH_TOKEN}`, '/chat?[redacted]'],
    [`/chat#${PATH_TOKEN}`, '/chat?[redacted]'],
    ['/conversation/establish', '/conversation/establish'],
    ['/a-mount-path-longer-than-tokens/webhook/chat', '/a-mount-path-longer-than-tokens/webhook/chat'],
    ['', ''],
  ])('is redacted: %s becomes %s', (url, shown) => {
    expect(redact(url)).toBe(shown);
  });
});
