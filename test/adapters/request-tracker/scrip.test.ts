import { describe, expect, it } from 'vitest';
import { requestTrackerScrip } from '../../../src/adapters/request-tracker/index.js';

const options = { url: 'https://kit.example.com/adapters/request-tracker', secret: 'a long enough secret' };

describe('the Scrip', () => {
  it('is generated as a file and as fields of the web form', () => {
    const { description, condition, prepare, commit, datafile } = requestTrackerScrip({
      ...options,
      queue: 'Handoffs',
    });
    expect(condition).toContain('urn:handoff-kit:');
    expect(commit).toContain(`my $url     = '${options.url}';`);
    expect(commit).toContain("my $secret  = 'a long enough secret';");
    expect(commit).toContain('my $timeout = 3;');
    for (const part of [description, condition, prepare, commit]) expect(datafile).toContain(part);
    expect(datafile).toMatch(/Queue +=> 'Handoffs'/);
    expect(datafile).not.toContain('{{');
  });

  it('applies to all queues by default', () => {
    expect(requestTrackerScrip(options).datafile).toMatch(/Queue +=> 0,/);
  });

  it('escapes quotes and backslashes', () => {
    const { commit } = requestTrackerScrip({ ...options, secret: `it's $& and \\ too` });
    expect(commit).toContain(`my $secret  = 'it\\'s $& and \\\\ too';`);
  });

  it.each([
    { url: 'rt.example.com' },
    { url: 'file:///etc/passwd' },
    { secret: 'first line\nHANDOFF_KIT_COMMIT' },
    { secret: '' },
    { secret: 'schlüssel' },
    { queue: 'über' },
    { timeoutSeconds: 0 },
  ])('refuses invalid options: %j', (changes) => {
    expect(() => requestTrackerScrip({ ...options, ...changes })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});
