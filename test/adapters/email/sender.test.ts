import { describe, expect, it } from 'vitest';
import { whyRefused } from '../../../src/adapters/email/sender.js';

const RULES = { agents: ['ann@example.com', '@support.example.com'], trustedServer: 'mx.example.com' };

const from = (address: string | readonly string[], ...authenticationResults: string[]) =>
  whyRefused({ from: [address].flat(), authenticationResults }, RULES);

describe('a mail is from an agent', () => {
  it.each([
    ['DMARC', 'mx.example.com; dmarc=pass (p=NONE) header.from=example.com'],
    [
      'DMARC, among others',
      'mx.example.com 1; spf=fail smtp.mailfrom=x.org; dkim=none; dmarc=pass header.from=Example.COM',
    ],
    [
      'DKIM of its domain',
      'MX.example.com; dkim=pass (2048-bit key; unprotected) header.d=example.com header.i=@example.com',
    ],
    ['DKIM by the identity', 'mx.example.com; dkim=pass header.i=@example.com header.s=2026 header.b=abc'],
    ['a second signature', 'mx.example.com; dkim=fail header.d=example.com; dkim=pass header.d=example.com'],
    ['a login', 'mx.example.com;\n\tauth=pass (plain) smtp.auth=ann@example.com'],
  ])('if the trusted server says so: %s', (_name, results) => {
    expect(from('Ann@Example.com', results)).toBeNull();
  });

  it('if its domain is an agent’s, and a domain above has signed it', () => {
    expect(from('ben@support.example.com', 'mx.example.com; dkim=pass header.d=example.com')).toBeNull();
  });

  it('if the From line is to be believed', () => {
    const rules = { ...RULES, trustedServer: null };
    expect(whyRefused({ from: ['ann@example.com'], authenticationResults: [] }, rules)).toBeNull();
    expect(whyRefused({ from: ['eve@example.com'], authenticationResults: [] }, rules)).toContain(
      'not among',
    );
  });
});

describe('a mail is refused', () => {
  it.each([
    ['without results'],
    ['with results of another server', 'mx.evil.example; dmarc=pass header.from=example.com'],
    [
      'with a failed result',
      'mx.example.com; dmarc=fail header.from=example.com; dkim=fail header.d=example.com',
    ],
    ['with SPF alone', 'mx.example.com; spf=pass smtp.mailfrom=ann@example.com'],
    ['signed by another domain', 'mx.example.com; dkim=pass header.d=evil.example'],
    ['signed by a domain below', 'mx.example.com; dkim=pass header.d=sub.example.com'],
    ['signed by a domain that ends alike', 'mx.example.com; dkim=pass header.d=ample.com'],
    ['signed by a top-level domain', 'mx.example.com; dkim=pass header.d=com'],
    ['with DMARC of another domain', 'mx.example.com; dmarc=pass header.from=evil.example'],
    ['with the login of somebody else', 'mx.example.com; auth=pass smtp.auth=mallory@example.com'],
    [
      'with a pass in a comment',
      'mx.example.com; dmarc=fail (dmarc=pass header.from=example.com) header.from=example.com',
    ],
    ['with a pass in a nested comment', 'mx.example.com; none (a (b) ; dmarc=pass header.from=example.com)'],
    [
      'with a pass in the envelope address of the forger',
      'mx.example.com; spf=pass smtp.mailfrom="x; dmarc=pass header.from=example.com "@evil.example',
    ],
    [
      'with a name in the place of the server',
      '(mx.example.com) evil.example; dmarc=pass header.from=example.com',
    ],
  ])('%s', (_name, ...results) => {
    expect(from('ann@example.com', ...results)).not.toBeNull();
  });

  it('with a forged result below that of the server', () => {
    const forged = 'mx.example.com; dmarc=pass header.from=example.com';
    expect(
      from('ann@example.com', 'mx.example.com; dmarc=fail header.from=example.com', forged),
    ).not.toBeNull();
  });

  it.each([
    [[]],
    [['ann@example.com', 'ann@example.com']],
    [['eve@example.com']],
    [['ann@example.com.evil.example']],
    [['ann@notsupport.example.com']],
  ])('from %j', (senders) => {
    const domain = senders[0]?.split('@')[1] ?? 'example.com';
    expect(from(senders, `mx.example.com; dmarc=pass header.from=${domain}`)).not.toBeNull();
  });
});
